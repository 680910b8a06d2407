import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { placeOf, type Attempted, type UpstreamAnswer, type UpstreamRequest, type Way } from "@modelgate/channels";
import type { ServiceCall } from "@modelgate/platform";
import type { Provider } from "@modelgate/providers";
import type { RelayDeps } from "./deps.ts";
import type { Exchange } from "./exchange.ts";
import { Inlet } from "./inlet.ts";
import type { CallPlan } from "./plan.ts";
import { readAnswer } from "./whole-answer.ts";

/** What an attempt brought: a stream at its first bytes, or a whole answer. */
export type Accepted = { readonly exchange: Exchange } & ({ readonly stream: Inlet } | { readonly whole: Buffer });

/** Who wants an attempt's beginning. */
export interface Sending {
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Called once, when the answer that is taken begins. */
  firstByte(): void;
}

/** Sends a call through channels until one answers with something that can be given to the client. */
export async function send(
  deps: RelayDeps,
  call: ServiceCall,
  plan: CallPlan,
  { callId, signal, firstByte }: Sending,
): Promise<Attempted<Accepted>> {
  let exchange: Exchange | undefined;
  let history: "unsealed" | undefined;
  const candidates = candidatesOf(deps, call, plan);
  const scope = `${call.caller.accountId}:${plan.model.name}`;
  const { affinity } = deps.channels;
  const { conversation } = plan;
  const kept = conversation === undefined ? undefined : await affinity.find(scope, conversation);
  return await deps.channels.attempts.run<Accepted>({
    callId,
    model: plan.model.name,
    candidates,
    prefer: plan.prefer ?? kept,
    get stream() {
      return exchange?.asksStream ?? plan.stream;
    },
    get unrepeatable() {
      return exchange?.unrepeatable === true;
    },
    span: call.span,
    signal,
    async render(way, provider) {
      exchange = undefined;
      exchange = await plan.exchange(wireFor(deps, plan, way, provider), way, history);
      // Kept before the vendor answers, so that the next turn finds it wherever it arrives.
      if (conversation !== undefined) affinity.keep(scope, conversation, placeOf(way));
      return requestFor(call, plan, way, provider, exchange);
    },
    async accept(answer) {
      if (exchange === undefined) throw new Error("an answer came before its request");
      const form = exchange.formOf?.(answer) ?? (plan.stream ? "events" : "whole");
      const accepted =
        form === "whole"
          ? { exchange, whole: await readAnswer(answer, exchange, deps.limits.answerBytes, deps.budget) }
          : { exchange, stream: await openStream(answer, exchange, form) };
      firstByte();
      return accepted;
    },
    unsealed() {
      if (plan.unsealable !== true || history === "unsealed") return false;
      history = "unsealed";
      return true;
    },
    unspoken(way, provider) {
      if (exchange === undefined) return false;
      const { candidate } = way;
      deps.spoken.missing(candidate, exchange.wire);
      return deps.spoken.choose(candidate, provider, plan.wires) !== undefined;
    },
  });
}

/** The channels whose vendors have an endpoint for the call: the others are not asked, and use up no attempt. */
function candidatesOf({ catalog, spoken }: RelayDeps, { caller }: ServiceCall, { model, wires }: CallPlan) {
  const able = catalog
    .current()
    .candidates(model.name, caller.group)
    .filter((candidate) => spoken.speaks(candidate, wires));
  if (able.length === 0) throw noEndpoint();
  return able;
}

function wireFor({ spoken }: RelayDeps, plan: CallPlan, { candidate }: Way, provider: Provider): UpstreamWire {
  const wire = spoken.choose(candidate, provider, plan.wires);
  if (wire === undefined) throw noEndpoint();
  return wire;
}

function noEndpoint(): Failure {
  return new Failure("no_available_channel", "The vendor of this model has no endpoint that could serve this call.");
}

/** What is sent to a vendor: its address and headers, with those of the client that go on to it. */
export function requestFor(
  call: ServiceCall,
  plan: Pick<CallPlan, "stream" | "forward">,
  { candidate, key }: Way,
  provider: Provider,
  { wire, body, headers, asksStream: stream = plan.stream }: Pick<Exchange, "wire" | "body" | "headers" | "asksStream">,
): Omit<UpstreamRequest, "timeoutMs"> {
  const { upstreamModel, channel } = candidate;
  const forwarded = plan.forward?.wire === wire ? plan.forward : undefined;
  const url = provider.address({ baseUrl: channel.baseUrl, wire, model: upstreamModel, stream });
  for (const [name, value] of Object.entries(forwarded?.query ?? {})) url.searchParams.set(name, value);
  return {
    url,
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
      "accept-encoding": "identity",
      "x-request-id": call.requestId,
      ...headers,
      ...provider.headers({ key: key.secret, wire }),
      ...forwarded?.headers,
    },
    body,
  };
}

/** Holds a stream at its first bytes; what is no stream, or begins with an error, is tried elsewhere. */
async function openStream(answer: UpstreamAnswer, exchange: Exchange, form: "events" | "bytes"): Promise<Inlet> {
  const type = answer.headers["content-type"];
  if (form === "events" && (typeof type !== "string" || !type.includes("text/event-stream"))) {
    answer.abort();
    throw new Failure("upstream_error", "The vendor did not answer with a stream.");
  }
  const inlet = await Inlet.open(answer, form);
  if (exchange.refuses((form === "events" ? inlet.firstFrame : undefined) ?? inlet.first)) {
    inlet.abort();
    throw new Failure("upstream_error", "The vendor failed before its answer began.");
  }
  return inlet;
}
