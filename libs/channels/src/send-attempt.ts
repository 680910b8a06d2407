import { asFailure, Failure, headers as contractHeaders, type UpstreamWire } from "@modelgate/contracts";
import type { Span } from "@modelgate/platform";
import { cleanText, CredentialsFailed, signRequest, type Reframing } from "@modelgate/providers";
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

/** An answer that is usable for the client, and its route. */
export interface BegunAnswer<Accepted> {
  readonly accepted: Accepted;
  readonly route: WireRoute;
}

/** Facts about the call that earlier attempts have shown. */
export interface TriedAlready {
  /** "unsealed": thinking signatures in the history were refused. */
  readonly history?: "unsealed" | undefined;
  /** Wire whose endpoint refused the call, although another endpoint may accept it. */
  readonly refusing?: UpstreamWire | undefined;
}

/**
 * Makes one attempt until an answer is accepted. `sent` holds what is known of it if it fails. Throws Refused, Failure,
 * and the errors of the connection.
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
    throw asFailure(error); // the exception is not the vendor's failure
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
 * Chooses the wire for a call on a route: if its vendor supports several, the first of those with the fewest
 * unsupported fields. A vendor behind an address of the operator's may lack one of its family's wires; it is tried
 * once, and the 404 is remembered. Throws Failure if the last wire was found missing since the call began.
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
  if (vendor === undefined || first === undefined) throw noUsableWireFailure();
  const { provider } = vendor;
  if (plan.countUnsupported === undefined || usable.length < 2) return { candidate, key, provider, wire: first };
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

/** Creates the failure of a call for which no channel of the model supports a suitable wire. */
export function noUsableWireFailure(): Failure {
  return new Failure("no_available_channel", "The vendor of this model has no endpoint that could serve this call.");
}

/** A prepared attempt on its route, and its span. */
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
      : await admitted(signRequest(provider, unsigned, { baseUrl, key: key.secret, nowMs: Date.now() }));
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

/** Resolves with a signed request. If signing fails, the error is treated as the vendor's refusal of the key. */
async function admitted<Request>(signing: Promise<Request>): Promise<Request> {
  try {
    return await signing;
  } catch (error) {
    if (!(error instanceof CredentialsFailed)) throw error;
    const meaning = { code: "upstream_auth_failed", retryable: true, blame: "key", isCertain: true } as const;
    throw new Refused(meaning, unauthorized, undefined, { message: cleanText(error.message) });
  }
}

const unauthorized = 401;

/** Returns the error of an exchange that got no answer. */
function unreached(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof Failure) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const silent = code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT";
  return new Failure(silent ? "upstream_timeout" : "upstream_error", undefined, { cause: error });
}

/**
 * Runs an exchange up to its first byte, and ends it if that does not arrive within `ms` (absent: no limit). The rest
 * of the exchange has no time limit; `outer` can end it at any time. Throws Failure upstream_timeout after `ms`, else
 * the errors of the exchange.
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

/** Converts an answer's stream to the framing of its wire; any other answer is unchanged. */
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

/** Converts the frames of a stream; aborts the stream at a damaged one. */
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
