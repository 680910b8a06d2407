import type { Tried } from "@modelgate/channels";
import { headers } from "@modelgate/contracts";
import type { AnswerSink, ServiceCall } from "@modelgate/platform";
import type { RunDeps } from "../deps.ts";

/**
 * Maximum characters of a list of names, and of a list of attempts, in a header; the rest is replaced by an ellipsis.
 */
const [maxNamed, maxTried] = [1_000, 2_000];

/**
 * Writes headers about the exchange that answered, or failed last: the vendor's request id, and if the caller's group
 * allows it, the channel and all attempts, as `first;failed=upstream_error, second`. Does nothing once the head has
 * been sent.
 */
export function reportRoute(
  { catalog }: Pick<RunDeps, "catalog">,
  { answer, caller }: Pick<ServiceCall, "answer" | "caller">,
  tried: readonly Tried[],
): void {
  const last = tried.at(-1);
  if (last === undefined || answer.begun) return;
  if (last.upstreamRequestId !== undefined) answer.setHeader(headers.upstreamRequestId, last.upstreamRequestId);
  if (catalog.current().group(caller.group)?.showChannel !== true) return;
  const attempts = tried.map(({ channel, failed }) => (failed === undefined ? channel : `${channel};failed=${failed}`));
  answer.setHeader(headers.channel, last.channel);
  answer.setHeader(headers.attempts, joinWithin(maxTried, attempts));
}

/**
 * Lists the dropped fields in a header. The names come from the client, so characters that a header cannot hold are
 * removed.
 */
export function reportDropped(answer: Pick<AnswerSink, "begun" | "setHeader">, dropped: readonly string[]): void {
  if (answer.begun) return;
  const names = dropped.map((name) => name.replaceAll(/[^\w.[\]-]/g, "?"));
  answer.setHeader(headers.dropped, joinWithin(maxNamed, names));
}

/** Writes the name of the serving model to a header, if the client named another one. */
export function reportModel(answer: Pick<AnswerSink, "begun" | "setHeader">, model: string): void {
  if (!answer.begun) answer.setHeader(headers.model, model.replaceAll(/[^\x20-\x7e]/g, "?"));
}

/** Writes to a header the output limit that was sent to the vendor because the caller can pay for no more. */
export function reportPaidOutput(answer: Pick<AnswerSink, "begun" | "setHeader">, tokens: number): void {
  if (!answer.begun) answer.setHeader(headers.maxOutputTokens, String(tokens));
}

function joinWithin(max: number, items: readonly string[]): string {
  const list = items.join(", ");
  return list.length > max ? `${list.slice(0, max)}...` : list;
}
