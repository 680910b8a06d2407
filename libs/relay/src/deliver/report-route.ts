import type { Tried } from "@modelgate/channels";
import { headers } from "@modelgate/contracts";
import type { AnswerSink, ServiceCall } from "@modelgate/platform";
import type { RunDeps } from "../deps.ts";

/** Longest list of names or attempts in a header; what is beyond it is an ellipsis. */
const [maxNamed, maxTried] = [1_000, 2_000];

/**
 * Reports in headers the vendor's own id of the exchange that answered, or failed last; and, where the caller's group
 * allows it, the channel of that exchange and all that was tried, as `first;failed=upstream_error, second`. Does nothing
 * once the head is out.
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

/** Names in a header what the vendor could not take. The names come from the client: only what a header may hold goes back. */
export function reportDropped(answer: Pick<AnswerSink, "begun" | "setHeader">, dropped: readonly string[]): void {
  if (answer.begun) return;
  const names = dropped.map((name) => name.replaceAll(/[^\w.[\]-]/g, "?"));
  answer.setHeader(headers.dropped, joinWithin(maxNamed, names));
}

/** Names in a header the model that served a call, where its client named another. */
export function reportModel(answer: Pick<AnswerSink, "begun" | "setHeader">, model: string): void {
  if (!answer.begun) answer.setHeader(headers.model, model.replaceAll(/[^\x20-\x7e]/g, "?"));
}

/** Reports in a header the bound of each answer's output that the vendor was sent since no more can be paid for. */
export function reportPaidOutput(answer: Pick<AnswerSink, "begun" | "setHeader">, tokens: number): void {
  if (!answer.begun) answer.setHeader(headers.maxOutputTokens, String(tokens));
}

function joinWithin(max: number, items: readonly string[]): string {
  const list = items.join(", ");
  return list.length > max ? `${list.slice(0, max)}...` : list;
}
