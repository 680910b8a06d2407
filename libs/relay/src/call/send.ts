import type { UpstreamWire } from "@modelgate/contracts";
import { channelKeyIdOf, type Attempted, type WireRoute, type UpstreamAnswer } from "@modelgate/channels";
import type { VendorRequest } from "@modelgate/providers";
import type { Exchange, StartedTask, WholeAnswer } from "../answers/exchange.ts";
import { HeldStream } from "../answers/held-stream.ts";
import type { StreamReader } from "../answers/stream-reader.ts";
import { readAnswer } from "../answers/whole-answer.ts";
import type { RelayDeps } from "../deps.ts";
import type { RelayedCall, VendorCall } from "./plan.ts";

/** What an attempt brought, and its exchange: a complete answer, a task that is begun, or a stream at its first frame. */
export type Accepted = {
  readonly exchange: Exchange;
  /** When it began, by `performance.now()`. */
  readonly firstByteAt: number;
} & (
  | { readonly kind: "whole"; readonly answer: WholeAnswer }
  | { readonly kind: "task"; readonly task: StartedTask }
  | { readonly kind: "stream"; readonly reader: StreamReader; readonly held: HeldStream }
);

/** Called about a call's attempts as they are made. */
export interface Sending {
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Called before each attempt; throws if the client has left. */
  begins?(): void;
  /** Called when an attempt's request is on its way. */
  sent?(): void;
}

/** Sends a call through channels until one answers with something that can be given to the client. Throws AttemptsFailed. */
export async function send(
  deps: RelayDeps,
  call: RelayedCall,
  vendorCall: VendorCall,
  { callId, signal, begins, sent }: Sending,
): Promise<Attempted<Accepted>> {
  const { model, conversation, forward } = vendorCall;
  const owner = `${call.caller.accountId}:${model.name}`;
  const { affinity, attempts } = deps.channels;
  const kept = conversation === undefined ? undefined : await affinity.find(owner, conversation);
  return await attempts.run<Accepted, UpstreamWire>({
    callId,
    requestId: call.requestId,
    account: call.caller.accountId,
    model: model.name,
    candidates: deps.catalog.current().candidates(model.name, call.caller.group),
    choice: model.choice,
    wires: vendorCall.wires,
    countUnsupported: vendorCall.countUnsupported,
    prefer: vendorCall.prefer ?? kept,
    unsealable: vendorCall.unsealable,
    span: call.span,
    signal,
    async prepare(route, history) {
      begins?.();
      const exchange = await vendorCall.exchange(route, history);
      // Kept before the vendor answers, so that the next turn finds it wherever it arrives.
      if (conversation !== undefined) affinity.keep(owner, conversation, channelKeyIdOf(route));
      return {
        request: { ...requestFor(call, forward, route, exchange), sent },
        stream: exchange.streams,
        unrepeatable: exchange.unrepeatable,
        accept: (answer: UpstreamAnswer) => accept(deps, exchange, answer),
      };
    },
  });
}

/** Reads an answer as far as it takes to know that it can be given to the client. Throws Failure if it cannot. */
async function accept(
  { limits, budget }: Pick<RelayDeps, "limits" | "budget">,
  exchange: Exchange,
  answer: UpstreamAnswer,
): Promise<Accepted> {
  const reader = readerOf(exchange, answer);
  if (reader.kind === "stream") {
    const held = await HeldStream.open(answer, reader);
    return { kind: "stream", exchange, reader, held, firstByteAt: performance.now() };
  }
  if (reader.kind === "task") {
    const task = await readAnswer(answer, reader, limits.answerBytes, budget);
    return { kind: "task", exchange, task, firstByteAt: performance.now() };
  }
  const whole = await readAnswer(answer, reader, limits.answerBytes, budget);
  return { kind: "whole", exchange, answer: whole, firstByteAt: performance.now() };
}

function readerOf(exchange: Exchange, answer: UpstreamAnswer): ReturnType<Exchange["read"]> {
  try {
    return exchange.read(answer);
  } catch (error) {
    answer.abort();
    throw error;
  }
}

/** The vendor's request for an exchange, with what of the client's goes on to a vendor of its own wire. */
export function requestFor(
  call: Pick<RelayedCall, "requestId">,
  forward: VendorCall["forward"],
  { candidate, key, provider }: WireRoute,
  { wire, body, headers, query, streams }: Pick<Exchange, "wire" | "body" | "headers" | "query" | "streams">,
): VendorRequest {
  const { upstreamModel, channel } = candidate;
  const forwarded = forward?.wire === wire ? forward : undefined;
  return provider.request({
    act: "answer",
    baseUrl: channel.baseUrl,
    key: key.secret,
    nowMs: Date.now(),
    requestId: call.requestId,
    wire,
    model: upstreamModel,
    stream: streams,
    body,
    headers: forwarded === undefined ? headers : { ...headers, ...forwarded.headers },
    query: forwarded?.query ?? query,
  });
}
