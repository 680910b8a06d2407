import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { placeOf, type Attempted, type SpokenWay, type UpstreamAnswer } from "@modelgate/channels";
import type { ServiceCall } from "@modelgate/platform";
import type { VendorRequest } from "@modelgate/providers";
import { parseFrameRecord } from "@modelgate/wires/text";
import type { RelayDeps } from "../deps.ts";
import type { Exchange, ReadAnswer } from "../answers/exchange.ts";
import { Inlet } from "../answers/held-stream.ts";
import type { CallPlan } from "./plan.ts";
import { readAnswer } from "../answers/whole-answer.ts";

/** What an attempt brought: a stream at its first bytes, or a whole answer. */
export type Accepted = { readonly exchange: Exchange } & ({ readonly stream: Inlet } | { readonly whole: ReadAnswer });

/** Who wants an attempt's beginning. */
export interface Sending {
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Called once, when the answer that is taken begins. */
  firstByte(): void;
  /** Called before each attempt; throws where nobody waits for one. */
  begins?(): void;
  /** Called when an attempt's request is on its way. */
  sent?(): void;
}

/** Sends a call through channels until one answers with something that can be given to the client. */
export async function send(
  deps: RelayDeps,
  call: ServiceCall,
  plan: CallPlan,
  { callId, signal, firstByte, begins, sent }: Sending,
): Promise<Attempted<Accepted>> {
  const scope = `${call.caller.accountId}:${plan.model.name}`;
  const { affinity, attempts } = deps.channels;
  const { model, conversation } = plan;
  const kept = conversation === undefined ? undefined : await affinity.find(scope, conversation);
  return await attempts.run<Accepted, UpstreamWire>({
    callId,
    account: call.caller.accountId,
    model: model.name,
    candidates: deps.catalog.current().candidates(model.name, call.caller.group),
    wires: plan.wires,
    prefer: plan.prefer ?? kept,
    unsealable: plan.unsealable,
    span: call.span,
    signal,
    async prepare(way, history) {
      begins?.();
      const exchange = await plan.exchange(way.wire, way, history);
      // Kept before the vendor answers, so that the next turn finds it wherever it arrives.
      if (conversation !== undefined) affinity.keep(scope, conversation, placeOf(way));
      return {
        request: { ...requestFor(call, plan, way, exchange), sent },
        stream: exchange.asksStream ?? plan.stream,
        unrepeatable: exchange.unrepeatable,
        async accept(answer: UpstreamAnswer) {
          const accepted = await accept(deps, plan, exchange, answer);
          firstByte();
          return accepted;
        },
      };
    },
  });
}

/** Reads an answer as far as it takes to know that it can be given to the client. Throws Failure if it cannot. */
async function accept(
  { limits, budget }: RelayDeps,
  plan: CallPlan,
  exchange: Exchange,
  answer: UpstreamAnswer,
): Promise<Accepted> {
  const form = exchange.formOf?.(answer) ?? (plan.stream ? "events" : "whole");
  return form === "whole"
    ? { exchange, whole: await readAnswer(answer, exchange, limits.answerBytes, budget) }
    : { exchange, stream: await openStream(answer, exchange, form) };
}

/** The vendor's request for an exchange, with the client's headers and query that go on to a vendor of its own wire. */
export function requestFor(
  call: ServiceCall,
  plan: Pick<CallPlan, "stream" | "forward">,
  { candidate, key, provider }: SpokenWay,
  { wire, body, headers, asksStream: stream = plan.stream }: Pick<Exchange, "wire" | "body" | "headers" | "asksStream">,
): VendorRequest {
  const { upstreamModel, channel } = candidate;
  const forwarded = plan.forward?.wire === wire ? plan.forward : undefined;
  return provider.request({
    act: "answer",
    baseUrl: channel.baseUrl,
    key: key.secret,
    nowMs: Date.now(),
    requestId: call.requestId,
    wire,
    model: upstreamModel,
    stream,
    body,
    headers: forwarded === undefined ? headers : { ...headers, ...forwarded.headers },
    query: forwarded?.query,
  });
}

/** Holds a stream at its first bytes; what is no stream, or begins with an error, is tried elsewhere. */
async function openStream(answer: UpstreamAnswer, exchange: Exchange, form: "events" | "bytes"): Promise<Inlet> {
  const type = answer.headers["content-type"];
  if (form === "events" && (typeof type !== "string" || !type.includes("text/event-stream"))) {
    answer.abort();
    throw new Failure("upstream_error", "The vendor did not answer with a stream.");
  }
  const inlet = await Inlet.open(answer, form);
  const frame = form === "events" ? inlet.firstFrame : undefined;
  if ((frame !== undefined && isUnreadable(frame)) || exchange.refuses(frame ?? inlet.first)) {
    inlet.abort();
    throw new Failure("upstream_error", "The vendor failed before its answer began.");
  }
  return inlet;
}

const data = /^data:[ \t]*(?!\[DONE\])\S/m;

/** Whether a first frame has data that is not a JSON object; the streams of every wire consist of those. */
function isUnreadable(frame: Buffer): boolean {
  return data.test(frame.toString()) && parseFrameRecord(frame) === undefined;
}
