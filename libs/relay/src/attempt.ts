import type { Candidate, CatalogModel } from "@modelgate/catalog";
import {
  channelKeyIdOf,
  type OpenAttempt,
  type AttemptPlan,
  type SendState,
  type UpstreamAnswer,
  type WireRoute,
} from "@modelgate/channels";
import type { UpstreamWire } from "@modelgate/contracts";
import type { VendorRequest } from "@modelgate/providers";
import type { AnswerReader, Exchange } from "./answers/exchange.ts";
import { BufferedStream } from "./answers/buffered-stream.ts";
import { readAnswer } from "./answers/read-answer.ts";
import type { AcceptedAnswer, CallRun } from "./call-run.ts";
import type { Call } from "./call.ts";
import type { RunDeps } from "./deps.ts";
import type { Plan } from "./kind.ts";
import { sendHeartbeats } from "./pending-stream.ts";

/** A request to send to one of a model's vendors: a call, a free query or the start of a session. */
export interface VendorAttempts<Result, Wire extends UpstreamWire> extends Omit<
  AttemptPlan<Result, Wire>,
  "account" | "candidates" | "choice" | "model" | "requestId" | "span"
> {
  readonly model: CatalogModel;
  /** Channels that may be used; absent: all that serve the model to the caller's group. */
  readonly candidates?: readonly Candidate[] | undefined;
}

/**
 * Sends a request to the vendors of a model, one channel after another, until one returns a usable answer. Throws
 * AttemptsFailed.
 */
export function attemptVendors<Result, Wire extends UpstreamWire>(
  { catalog, channels }: Pick<RunDeps, "catalog" | "channels">,
  { caller, requestId, span }: Pick<Call, "caller" | "requestId" | "span">,
  options: VendorAttempts<Result, Wire>,
): Promise<OpenAttempt<Result>> {
  const { model, candidates = catalog.current().candidates(model.name, caller.group) } = options;
  return channels.attempts.run<Result, Wire>({
    callId: options.callId,
    requestId,
    account: caller.accountId,
    model: model.name,
    candidates,
    choice: model.choice,
    wires: options.wires,
    countUnsupported: options.countUnsupported,
    prefer: options.prefer,
    canDropSignatures: options.canDropSignatures,
    span,
    signal: options.signal,
    prepare: options.prepare,
  });
}

/**
 * Sends a call to its vendors until one answers. A client that waits for a stream receives heartbeats meanwhile. Throws
 * AttemptsFailed.
 */
export async function attemptCall<Planned extends Plan>(run: CallRun<Planned>): Promise<OpenAttempt<AcceptedAnswer>> {
  const { deps, call, kind, plan, serving, lifetime } = run;
  const { conversation } = plan;
  using _waiting = plan.pendingStream && sendHeartbeats(call.answer, plan.pendingStream, deps.limits.heartbeatMs);
  const stored =
    conversation === undefined
      ? undefined
      : await deps.channels.affinity.find(ownerOf(call, serving.model), conversation);
  const attempted = await attemptVendors<AcceptedAnswer, UpstreamWire>(deps, call, {
    callId: run.heldMoney.callId,
    model: serving.model,
    candidates: plan.candidates,
    wires: plan.wires,
    prefer: plan.prefer ?? stored,
    canDropSignatures: plan.canDropSignatures,
    signal: lifetime.signal,
    countUnsupported: async (wire, upstreamModel) => (await kind.countUnsupported?.(plan, wire, upstreamModel)) ?? 0,
    async prepare(route, history) {
      lifetime.beginAttempt();
      const exchange = await kind.exchange(plan, route, history);
      // The route is stored before the vendor answers, so that each replica finds it for the next turn.
      if (conversation !== undefined)
        deps.channels.affinity.store(ownerOf(call, serving.model), conversation, channelKeyIdOf(route));
      const request = exchange.request ?? requestFor(call, plan.forward, route, exchange);
      return new PreparedCall(deps, request, exchange, lifetime);
    },
  });
  run.recordAnswer(attempted);
  return attempted;
}

function ownerOf({ caller }: Call, { name }: CatalogModel): string {
  return `${caller.accountId}:${name}`;
}

class PreparedCall {
  readonly request: VendorRequest;
  readonly stream: boolean;
  readonly isUnrepeatable: boolean | undefined;
  readonly state: SendState;
  readonly #deps: Pick<RunDeps, "limits" | "budget">;
  readonly #exchange: Exchange;

  constructor(deps: Pick<RunDeps, "limits" | "budget">, request: VendorRequest, exchange: Exchange, state: SendState) {
    this.request = request;
    this.stream = exchange.isStreamed;
    this.isUnrepeatable = exchange.isUnrepeatable;
    this.state = state;
    this.#deps = deps;
    this.#exchange = exchange;
  }

  /** Reads an answer until it is known to be usable. Throws Failure if it is not. */
  async accept(answer: UpstreamAnswer): Promise<AcceptedAnswer> {
    const { limits, budget } = this.#deps;
    const exchange = this.#exchange;
    let reader: AnswerReader;
    try {
      reader = exchange.read(answer);
    } catch (error) {
      answer.abort();
      throw error;
    }
    if (reader.kind === "stream") {
      const bufferedStream = await BufferedStream.open(answer, reader);
      return { kind: "stream", exchange, reader, bufferedStream, firstByteAt: performance.now() };
    }
    if (reader.kind === "job")
      return { kind: "job", exchange, job: await reader.read(answer), firstByteAt: performance.now() };
    if (reader.kind === "task") {
      const task = await readAnswer(answer, reader, limits.answerBytes, budget);
      return { kind: "task", exchange, task, firstByteAt: performance.now() };
    }
    const completeAnswer = await readAnswer(answer, reader, limits.answerBytes, budget);
    return { kind: "complete", exchange, answer: completeAnswer, firstByteAt: performance.now() };
  }
}

/**
 * Builds the vendor's request for an exchange, with the client's headers and query parameters if the wire is the same.
 */
export function requestFor(
  call: Pick<Call, "requestId">,
  forward: Plan["forward"],
  { candidate, key, provider }: WireRoute,
  { wire, body, headers, query, isStreamed }: Pick<Exchange, "wire" | "body" | "headers" | "query" | "isStreamed">,
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
    stream: isStreamed,
    body,
    headers: forwarded === undefined ? headers : { ...headers, ...forwarded.headers },
    query: forwarded?.query ?? query,
  });
}
