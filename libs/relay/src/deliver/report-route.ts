import type { AttemptReport } from "@modelgate/channels";
import { headers } from "@modelgate/contracts";
import type { AnswerSink, ServiceCall } from "@modelgate/platform";
import type { RunDeps } from "../deps.ts";

/** Maximum characters of a header with names, and of a header with attempts. */
const [maxNamed, maxTried] = [1_000, 2_000];

/**
 * Writes headers about the attempts, for example `first;failed=upstream_error, second`. Only some groups may see the
 * channels.
 */
export function reportRoute(
  { catalog }: Pick<RunDeps, "catalog">,
  { answer, caller }: Pick<ServiceCall, "answer" | "caller">,
  tried: readonly AttemptReport[],
): void {
  const last = tried.at(-1);
  if (last === undefined || answer.isHeadSent) return;
  if (last.upstreamRequestId !== undefined) answer.setHeader(headers.upstreamRequestId, last.upstreamRequestId);
  if (catalog.current().group(caller.group)?.showChannel !== true) return;
  const attempts = tried.map(({ channel, failed }) => (failed === undefined ? channel : `${channel};failed=${failed}`));
  answer.setHeader(headers.channel, last.channel);
  answer.setHeader(headers.attempts, joinWithin(maxTried, attempts));
}

/** Writes a header that lists the left-out fields. Only letters, digits and `_.-[]` are kept; the others become `?`. */
export function reportDropped(answer: Pick<AnswerSink, "isHeadSent" | "setHeader">, dropped: readonly string[]): void {
  if (answer.isHeadSent) return;
  const names = dropped.map((name) => name.replaceAll(/[^\w.[\]-]/g, "?"));
  answer.setHeader(headers.dropped, joinWithin(maxNamed, names));
}

/** Writes a header with the model that serves the call, for a client that named another one. */
export function reportModel(answer: Pick<AnswerSink, "isHeadSent" | "setHeader">, model: string): void {
  if (!answer.isHeadSent) answer.setHeader(headers.model, model.replaceAll(/[^\x20-\x7e]/g, "?"));
}

/** Writes a header with the output limit that the gateway set because the caller's money does not cover more. */
export function reportOutputLimit(answer: Pick<AnswerSink, "isHeadSent" | "setHeader">, tokens: number): void {
  if (!answer.isHeadSent) answer.setHeader(headers.maxOutputTokens, String(tokens));
}

function joinWithin(max: number, items: readonly string[]): string {
  const list = items.join(", ");
  return list.length > max ? `${list.slice(0, max)}...` : list;
}
