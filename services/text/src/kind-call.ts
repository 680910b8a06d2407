import type { UpstreamWire } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import { estimateTokens, priced, runCall, type Exchange, type KindCall, type RequestSize } from "@modelgate/relay";
import type { Ask } from "@modelgate/wires";
import type { Deps } from "./deps.ts";

/** A request of a kind that answers in one piece. */
export interface AskedKind<Request> {
  readonly ask: Ask<Request>;
  /** The client's body. */
  readonly body: Buffer;
  /** Wires that it can be served through, best first. */
  readonly wires: readonly UpstreamWire[];
  readonly exchange: (wire: UpstreamWire, call: KindCall<Request>, upstreamModel: string) => Exchange;
  /** Bytes of text that are sent beside the client's own. */
  readonly addedBytes?: number;
}

/** Runs a call that answers in one piece: vectors, ranking, moderation. */
export async function runKind<Request>(deps: Deps, call: ServiceCall, asked: AskedKind<Request>): Promise<void> {
  const { ask, body, wires, exchange, addedBytes = 0 } = asked;
  const size: RequestSize = {
    textBytes: ask.textBytes + addedBytes,
    mediaTokens: ask.media.tokens,
    maxOutputTokens: ask.maxOutputTokens,
    choices: 1,
  };
  const kindCall: KindCall<Request> = {
    request: ask.request,
    dropped: ask.dropped,
    model: ask.model,
    strict: call.strict,
    answerId: deps.newAnswerId().replace(/^answer_/, ""),
    inputTokens: estimateTokens(ask.textBytes) + ask.media.tokens,
  };
  await runCall(deps.relay, call, {
    ...priced(deps.relay, call, ask.model),
    body,
    stream: false,
    size,
    wires,
    exchange: (wire, { candidate }) => exchange(wire, kindCall, candidate.upstreamModel),
  });
}
