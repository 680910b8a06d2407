import { asFailure, Failure, headers as contractHeaders, type UpstreamWire } from "@modelgate/contracts";
import type { Span } from "@modelgate/platform";
import { cleanText, CredentialsFailed, type Reframing } from "@modelgate/providers";
import type {
  AttemptPlan,
  BodySink,
  PreparedAttempt,
  SocketAnswer,
  UpstreamAnswer,
  WireRoute,
} from "./attempt-plan.ts";
import { prepareChannelRequest } from "./channel-request.ts";
import { connectSocket, RefusedSocket } from "./connect.ts";
import { ProxyFailed } from "./proxy.ts";
import type { Route } from "./channel-scope.ts";
import { readRefusal, VendorRefusal } from "./refused.ts";
import type { SupportedWires } from "./supported-wires.ts";
import type { Transport } from "./transport.ts";
import type { SentAttempt } from "./verdict.ts";

export interface StartedAnswer<Accepted> {
  readonly accepted: Accepted;
  readonly route: WireRoute;
}

/** Results of the call's earlier attempts that change the next one. */
export interface AttemptHistory {
  /** "withoutSignatures" if a vendor refused the thinking signatures in the history. */
  readonly history?: "withoutSignatures" | undefined;
  /** Wire whose endpoint refused the call, although another endpoint of the vendor may accept it. */
  readonly refusingWire?: UpstreamWire | undefined;
}

/** Sends one attempt, and records its progress in `sent`. Throws VendorRefusal, Failure, or connection errors. */
export async function sendAttempt<Accepted, Wire extends UpstreamWire>(
  sent: SentAttempt,
  plan: AttemptPlan<Accepted, Wire>,
  { history, refusingWire }: AttemptHistory,
  deps: { readonly transport: Transport; readonly supportedWires: SupportedWires },
  span: Span,
): Promise<StartedAnswer<Accepted>> {
  const choosing = chooseWireRoute(sent.attempt.route, plan, deps.supportedWires, refusingWire);
  const route = choosing instanceof Promise ? await choosing : choosing;
  sent.wire = route.wire;
  let prepared: PreparedAttempt<Accepted>;
  try {
    prepared = await plan.prepare(route, history);
  } catch (error) {
    throw asFailure(error); // a Failure of the gateway does not count against the vendor
  }
  sent.prepared = prepared;
  const firstByteMs = prepared.stream === true ? route.candidate.channel.firstByteTimeoutMs : undefined;
  const routed = { route, prepared, traceparent: span.traceparent };
  const accepted =
    firstByteMs === undefined
      ? await exchangeOnce(sent, routed, deps.transport, plan.signal)
      : await withStartTimeout(firstByteMs, plan.signal, (signal) =>
          exchangeOnce(sent, routed, deps.transport, signal),
        );
  return { route, accepted };
}

/**
 * Chooses the wire for a call on a route: the first of those with the fewest unsupported fields. Throws Failure if no
 * wire is usable.
 */
function chooseWireRoute<Wire extends UpstreamWire>(
  { candidate, key }: Route,
  plan: Pick<AttemptPlan<unknown, Wire>, "wires" | "countUnsupported">,
  supportedWires: SupportedWires,
  refusingWire: UpstreamWire | undefined,
): WireRoute<Wire> | Promise<WireRoute<Wire>> {
  const vendor = supportedWires.vendorOf(candidate);
  const usableWires = supportedWires.usableWires(candidate, plan.wires);
  const usable = refusingWire === undefined ? usableWires : usableWires.filter((wire) => wire !== refusingWire);
  const [first] = usable;
  if (vendor === undefined || first === undefined) throw noUsableWireFailure();
  const { provider } = vendor;
  // The client's own wire expresses every field.
  if (plan.countUnsupported === undefined || usable.length < 2 || first === plan.wires[0])
    return { candidate, key, provider, wire: first };
  return routeWithFewestUnsupported(plan, usable, { candidate, key, provider, wire: first });
}

async function routeWithFewestUnsupported<Wire extends UpstreamWire>(
  plan: Pick<AttemptPlan<unknown, Wire>, "countUnsupported">,
  usable: readonly Wire[],
  route: WireRoute<Wire>,
): Promise<WireRoute<Wire>> {
  let best: Wire = route.wire;
  let least = Infinity;
  for (const wire of usable) {
    const unsupportedCount = (await plan.countUnsupported?.(wire, route.candidate.upstreamModel)) ?? 0;
    if (unsupportedCount < least) {
      best = wire;
      least = unsupportedCount;
    }
    if (least === 0) break;
  }
  return { ...route, wire: best };
}

/** Creates the failure of a call whose wires no channel of the model supports. */
export function noUsableWireFailure(): Failure {
  return new Failure("no_available_channel", "The vendor of this model has no endpoint that can serve this call.");
}

/** A prepared attempt, its route, and the trace context of its span. */
interface RoutedAttempt<Accepted> {
  readonly route: WireRoute;
  readonly prepared: PreparedAttempt<Accepted>;
  readonly traceparent: string | undefined;
}

async function exchangeOnce<Accepted>(
  sent: SentAttempt,
  { route: { candidate, key, provider, wire }, prepared, traceparent }: RoutedAttempt<Accepted>,
  transport: Transport,
  signal: AbortSignal,
): Promise<Accepted> {
  const { channel } = candidate;
  const sending = prepareChannelRequest(
    prepared.request,
    { channel, key, provider },
    {
      timeoutMs: channel.timeoutMs,
      state: prepared.state,
      addsMembers: true,
      headers: traceparent === undefined ? undefined : { [contractHeaders.traceparent]: traceparent },
    },
  );
  const request = sending instanceof Promise ? await awaitSigned(sending) : sending;
  sent.added = request.added;
  let answer: UpstreamAnswer;
  let opened: SocketAnswer | undefined;
  try {
    if (prepared.connect === undefined) answer = await transport.send(request, signal);
    else {
      const socket = await connectSocket(request, prepared.connect, signal);
      answer = socket;
      if (!(socket instanceof RefusedSocket)) opened = socket;
    }
  } catch (error) {
    throw noAnswerError(error, signal);
  }
  sent.answer = answer;
  if (prepared.connect !== undefined && opened !== undefined) return await prepared.accept(opened);
  if (prepared.connect !== undefined || answer.status >= 300) throw await readRefusal(answer, provider);
  const reframing = provider.reframing?.(wire);
  return await prepared.accept(reframing === undefined ? answer : reframeAnswer(answer, reframing));
}

/** Returns the signed request. Treats a failure of the signing credentials as the vendor's refusal of the key. */
async function awaitSigned<Request>(signing: Promise<Request>): Promise<Request> {
  try {
    return await signing;
  } catch (error) {
    if (!(error instanceof CredentialsFailed)) throw error;
    const meaning = { code: "upstream_auth_failed", retryable: true, blame: "key", isNeverClientFault: true } as const;
    throw new VendorRefusal(meaning, unauthorized, undefined, { message: cleanText(error.message) });
  }
}

const unauthorized = 401;

/** Returns the error to report for an exchange without an answer. */
function noAnswerError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof Failure) return error;
  if (error instanceof ProxyFailed) return new Failure("upstream_proxy_failed", undefined, { cause: error });
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isSilent = code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT";
  return new Failure(isSilent ? "upstream_timeout" : "upstream_error", undefined, { cause: error });
}

/** Runs an exchange that must be accepted within `ms`. Throws Failure upstream_timeout. */
export async function withStartTimeout<Answer>(
  ms: number | undefined,
  outer: AbortSignal,
  exchange: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  if (ms === undefined) return exchange(outer);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await exchange(AbortSignal.any([outer, late.signal]));
  } catch (error) {
    if (!late.signal.aborted) throw error;
    throw new Failure("upstream_timeout", "The vendor did not begin to answer in time.", { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Converts a streamed answer to the framing of its wire. Returns any other answer unchanged. */
export function reframeAnswer(answer: UpstreamAnswer, reframing: Reframing | undefined): UpstreamAnswer {
  const { status, headers } = answer;
  const type = headers["content-type"];
  if (reframing === undefined || typeof type !== "string" || !type.startsWith(reframing.from)) return answer;
  return {
    status,
    headers: { ...headers, "content-type": reframing.to },
    pipe: (sink) => answer.pipe(reframedSink(answer, reframing, sink)),
    pause: () => answer.pause(),
    resume: () => answer.resume(),
    abort: () => answer.abort(),
  };
}

function reframedSink(answer: Pick<UpstreamAnswer, "abort">, reframing: Reframing, sink: BodySink): BodySink {
  const reframer = reframing.open();
  let hasEnded = false;
  return {
    data(chunk) {
      if (hasEnded) return;
      try {
        const bytes = reframer.push(chunk);
        if (bytes.length > 0) sink.data(bytes);
      } catch (error) {
        hasEnded = true;
        answer.abort();
        sink.fail(error instanceof Error ? error : new Error(String(error)));
      }
    },
    end() {
      if (!hasEnded) sink.end();
    },
    fail(error) {
      if (!hasEnded) sink.fail(error);
    },
  };
}
