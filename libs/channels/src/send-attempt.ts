import { asFailure, Failure, headers as contractHeaders, type UpstreamWire } from "@modelgate/contracts";
import type { Span } from "@modelgate/platform";
import { cleanWords, CredentialsFailed, signed, type Reframing } from "@modelgate/providers";
import type {
  AttemptPlan,
  BodySink,
  PreparedAttempt,
  SocketAnswer,
  UpstreamAnswer,
  WireRoute,
} from "./attempt-plan.ts";
import { connectSocket, RefusedSocket } from "./connect.ts";
import type { Route } from "./rest-scope.ts";
import { refusal, Refused } from "./refused.ts";
import type { SupportedWires } from "./supported-wires.ts";
import type { Transport } from "./transport.ts";
import type { SentAttempt } from "./verdict.ts";

/** An answer that can be given on, and the route that it came by. */
export interface BegunAnswer<Accepted> {
  readonly accepted: Accepted;
  readonly route: WireRoute;
}

/** Facts that earlier attempts have shown of the call. */
export interface TriedAlready {
  /** "unsealed": seals of thoughts in the history were refused. */
  readonly history?: "unsealed" | undefined;
  /** The wire whose endpoint refused the call, although another endpoint may accept it. */
  readonly refusing?: UpstreamWire | undefined;
}

/**
 * Makes one attempt, to the beginning of an answer that can be given on. What is known of it when it fails is in
 * `sent`. Throws Refused, Failure, and what the connection throws.
 */
export async function sendAttempt<Accepted, Wire extends UpstreamWire>(
  sent: SentAttempt,
  plan: AttemptPlan<Accepted, Wire>,
  { history, refusing }: TriedAlready,
  deps: { readonly transport: Transport; readonly supportedWires: SupportedWires },
  span: Span,
): Promise<BegunAnswer<Accepted>> {
  const route = await wireRoute(sent.attempt.route, plan, deps.supportedWires, refusing);
  sent.wire = route.wire;
  let prepared: PreparedAttempt<Accepted>;
  try {
    prepared = await plan.prepare(route, history);
  } catch (error) {
    throw asFailure(error); // it is not the vendor's
  }
  sent.prepared = prepared;
  const firstByteMs = prepared.stream === true ? route.candidate.channel.firstByteTimeoutMs : undefined;
  const routed = { route, prepared, traceparent: span.traceparent };
  const accepted =
    firstByteMs === undefined
      ? await exchangeOnce(sent, routed, deps.transport, plan.signal)
      : await beginsWithin(firstByteMs, plan.signal, (signal) => exchangeOnce(sent, routed, deps.transport, signal));
  return { route, accepted };
}

/**
 * A route with the wire for a call: where its vendor is known to support several, the first of those with the
 * fewest unsupported fields. Throws Failure if the last wire was found missing since the call began.
 */
function wireRoute<Wire extends UpstreamWire>(
  { candidate, key }: Route,
  plan: Pick<AttemptPlan<unknown, Wire>, "wires" | "countUnsupported">,
  supportedWires: SupportedWires,
  refusing: UpstreamWire | undefined,
): WireRoute<Wire> | Promise<WireRoute<Wire>> {
  const vendor = supportedWires.vendorOf(candidate);
  const known = supportedWires.usable(candidate, plan.wires);
  const usable = refusing === undefined ? known : known.filter((wire) => wire !== refusing);
  const [first] = usable;
  if (vendor === undefined || first === undefined) throw noEndpoint();
  const { provider } = vendor;
  if (plan.countUnsupported === undefined || usable.length < 2 || !supportedWires.areKnown(candidate, usable))
    return { candidate, key, provider, wire: first };
  return withFewestUnsupported(plan, usable, { candidate, key, provider, wire: first });
}

async function withFewestUnsupported<Wire extends UpstreamWire>(
  plan: Pick<AttemptPlan<unknown, Wire>, "countUnsupported">,
  usable: readonly Wire[],
  route: WireRoute<Wire>,
): Promise<WireRoute<Wire>> {
  let best: Wire = route.wire;
  let least = Infinity;
  for (const wire of usable) {
    const lost = (await plan.countUnsupported?.(wire, route.candidate.upstreamModel)) ?? 0;
    if (lost < least) {
      best = wire;
      least = lost;
    }
    if (least === 0) break;
  }
  return { ...route, wire: best };
}

/** No channel of the model speaks a wire that the call can be made in. */
export function noEndpoint(): Failure {
  return new Failure("no_available_channel", "The vendor of this model has no endpoint that could serve this call.");
}

/** A prepared attempt on its route, and the trace that it belongs to. */
interface RoutedAttempt<Accepted> {
  readonly route: WireRoute;
  readonly prepared: PreparedAttempt<Accepted>;
  readonly traceparent: string | undefined;
}

/** Sends the request and reads as much of the answer as `accept` needs. */
async function exchangeOnce<Accepted>(
  sent: SentAttempt,
  { route: { candidate, key, provider, wire }, prepared, traceparent }: RoutedAttempt<Accepted>,
  transport: Transport,
  signal: AbortSignal,
): Promise<Accepted> {
  const { baseUrl, timeoutMs } = candidate.channel;
  const { url, method, body } = prepared.request;
  const headers =
    traceparent === undefined
      ? prepared.request.headers
      : { ...prepared.request.headers, [contractHeaders.traceparent]: traceparent };
  const unsigned = { url, method, headers, body, timeoutMs, state: prepared.state };
  const request =
    provider.sign === undefined
      ? unsigned
      : await admitted(signed(provider, unsigned, { baseUrl, key: key.secret, nowMs: Date.now() }));
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
    throw unreached(error, signal);
  }
  sent.answer = answer;
  if (prepared.connect !== undefined && opened !== undefined) return await prepared.accept(opened);
  if (prepared.connect !== undefined || answer.status >= 300) throw await refusal(answer, provider);
  const reframing = provider.reframing?.(wire);
  return await prepared.accept(reframing === undefined ? answer : reframed(answer, reframing));
}

/** A request with what admits it; where that cannot be had, the key is refused as if its vendor had said so. */
async function admitted<Request>(signing: Promise<Request>): Promise<Request> {
  try {
    return await signing;
  } catch (error) {
    if (!(error instanceof CredentialsFailed)) throw error;
    const meaning = { code: "upstream_auth_failed", retryable: true, blame: "key", isCertain: true } as const;
    throw new Refused(meaning, unauthorized, undefined, { message: cleanWords(error.message) });
  }
}

const unauthorized = 401;

/** Returns what an exchange that never got an answer fails with. */
function unreached(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof Failure) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const silent = code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT";
  return new Failure(silent ? "upstream_timeout" : "upstream_error", undefined, { cause: error });
}

/**
 * Runs an exchange up to its first byte, and ends it where that does not come within `ms` (absent: whenever it comes).
 * What follows the first byte is no longer watched; `outer` ends it at any time. Throws Failure upstream_timeout where
 * the time was up, else what the exchange throws.
 */
export async function beginsWithin<BegunAnswer>(
  ms: number | undefined,
  outer: AbortSignal,
  exchange: (signal: AbortSignal) => Promise<BegunAnswer>,
): Promise<BegunAnswer> {
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

/** An answer whose stream is in the framing of its wire; any other answer is as it came. */
export function reframed(answer: UpstreamAnswer, reframing: Reframing | undefined): UpstreamAnswer {
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

/** A stream that is damaged breaks off there. */
function reframedSink(answer: Pick<UpstreamAnswer, "abort">, reframing: Reframing, sink: BodySink): BodySink {
  const reframer = reframing.open();
  let isOver = false;
  return {
    data(chunk) {
      if (isOver) return;
      try {
        const bytes = reframer.push(chunk);
        if (bytes.length > 0) sink.data(bytes);
      } catch (error) {
        isOver = true;
        answer.abort();
        sink.broken(error instanceof Error ? error : new Error(String(error)));
      }
    },
    end() {
      if (!isOver) sink.end();
    },
    broken(error) {
      if (!isOver) sink.broken(error);
    },
  };
}
