import { asFailure, Failure, headers as contractHeaders } from "@modelgate/contracts";
import type { Candidate } from "@modelgate/catalog";
import type { Span } from "@modelgate/platform";
import { providers, type Provider } from "@modelgate/providers";
import { attemptSpan } from "./attempt-span.ts";
import { beginsWithin } from "./begins-within.ts";
import { observeAttempt } from "./channel-metrics.ts";
import { connectSocket, type ConnectOptions } from "./connect.ts";
import type { Entry, Gate, TurnedAway } from "./gate.ts";
import type { Health } from "./health.ts";
import { nothingLeft } from "./nothing-left.ts";
import { modelPlaceOf, pick, placeOf, type Way } from "./pick.ts";
import { refusal } from "./refused.ts";
import { verdictOn } from "./verdict.ts";
import type { Transport, UpstreamAnswer, UpstreamRequest } from "./transport.ts";

/** What a call needs of its attempts. */
export interface AttemptPlan<Accepted> {
  readonly callId: string;
  readonly model: string;
  readonly candidates: readonly Candidate[];
  /** What to send that way; called for every attempt, always from the untouched client body. */
  readonly render: (
    way: Way,
    provider: Provider,
  ) => Omit<UpstreamRequest, "timeoutMs"> | Promise<Omit<UpstreamRequest, "timeoutMs">>;
  /** The vendor is met by WebSocket: the answer is 101 and carries the open connection. Absent: by HTTP. */
  readonly connect?: ConnectOptions | undefined;
  /** Looks at the beginning of a successful answer; throws Failure where it is none, and the next way is tried. */
  readonly accept: (answer: UpstreamAnswer, way: Way) => Promise<Accepted>;
  /** Told that the vendor has no endpoint where the call was sent; whether there is another one to try there. */
  readonly unspoken: (way: Way, provider: Provider) => boolean;
  /**
   * Told that the vendor refuses seals of thoughts in the call's history; whether the call can be said without them.
   * Absent: it cannot.
   */
  readonly unsealed?: () => boolean;
  /** A way that is tried first while it can be: `channel/key`. */
  readonly prefer?: string | undefined;
  /**
   * The call begins something that is paid for once: it goes on to another way only while the vendor cannot have taken
   * it. Else it ends with Failure create_uncertain.
   */
  readonly unrepeatable?: boolean;
  /** A stream is asked for: its first byte is waited for apart from silence within it. */
  readonly stream?: boolean;
  readonly signal: AbortSignal;
  /** The call's part of the trace; attempts stand below it, and their vendors are told. */
  readonly span?: Span | undefined;
}

/**
 * An answer that can be given to the client. Dispose it when the exchange is over (once more does nothing): the
 * channel's seat is free then, and the channel has worked, unless the answer broke or its client left.
 */
export interface Attempted<Accepted> extends Disposable {
  readonly accepted: Accepted;
  readonly way: Way;
  /** How many attempts it took. */
  readonly attempts: number;
  /** Every attempt in its order; the last one is the answer's. */
  readonly tried: readonly Tried[];
  /** The vendor broke its answer off after it had begun: that counts against the channel like any failure. */
  broke(reason: string): void;
}

/** One attempt, for those who are told what was tried. */
export interface Tried {
  readonly channel: string;
  /** The failure's code; absent where it was answered. */
  readonly failed?: string;
}

export interface AttemptLimits {
  readonly mostAttempts: number;
  /** After this time no further attempt begins. */
  readonly budgetMs: number;
}

/** A failure after all attempts, with how many there were and where the last one went. */
export class AttemptsFailed extends Error {
  override readonly name = "AttemptsFailed";
  readonly failure: Failure;
  readonly attempts: number;
  readonly way: Way | undefined;
  readonly tried: readonly Tried[];
  constructor(failure: Failure, tried: readonly Tried[], way: Way | undefined) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.attempts = tried.length;
    this.tried = tried;
    this.way = way;
  }
}

/** Sends calls through channels, until the first byte for the client. */
export interface Attempts {
  run<Accepted>(plan: AttemptPlan<Accepted>): Promise<Attempted<Accepted>>;
}

export interface AttemptDeps {
  readonly transport: Transport;
  readonly health: Health;
  readonly gate: Gate;
  readonly limits: AttemptLimits;
}

export function openAttempts(deps: AttemptDeps, random: () => number = Math.random): Attempts {
  const { health, gate, limits } = deps;
  const turns = new Map<string, number>();
  const turn = (channelId: string, poolSize: number): number => {
    const next = (turns.get(channelId) ?? -1) + 1;
    turns.set(channelId, next % Math.max(1, poolSize));
    return next;
  };

  return {
    async run(plan) {
      const deadline = Date.now() + limits.budgetMs;
      const passed = new Set<string>();
      const away: TurnedAway[] = [];
      const excluded = (at: Way): boolean => passed.has(placeOf(at)) || passed.has(at.candidate.channel.id);
      const tried: Tried[] = [];
      let last: { readonly failure: Failure; readonly way: Way } | undefined;
      while (tried.length < limits.mostAttempts && (tried.length === 0 || Date.now() < deadline)) {
        const { prefer } = plan;
        const way = pick(plan.candidates, { restsUntil: health.restsUntil, excluded, random, turn, prefer });
        if (way === undefined) break;
        const entry = await gate.enter(way, `${plan.callId}.${tried.length}`);
        if ("place" in entry) {
          away.push(entry);
          passed.add(entry.place);
          continue;
        }
        passed.add(placeOf(way));
        const channel = way.candidate.channel.id;
        const span = attemptSpan(plan.span, plan.model, way);
        try {
          const accepted = await once(way, plan, deps, span);
          tried.push({ channel });
          observeAttempt(channel);
          return answered(accepted, { way, entry, tried, health, span, signal: plan.signal });
        } catch (error) {
          const { failure, next } = verdictOn(error, way, plan, health);
          entry[Symbol.dispose]();
          last = { failure, way };
          tried.push({ channel, failed: failure.code });
          observeAttempt(channel, failure.code);
          span.end(failure.code);
          if (next === "none") break;
          if (next === "same") passed.delete(placeOf(way));
        }
      }
      throw new AttemptsFailed(last?.failure ?? nothingLeft(plan, away, health), tried, last?.way);
    },
  };
}

/** An answer that has begun: the way has proven itself, and what becomes of the answer is still to be told. */
function answered<Accepted>(
  accepted: Accepted,
  how: {
    readonly way: Way;
    readonly entry: Entry;
    readonly tried: readonly Tried[];
    readonly health: Health;
    readonly span: Span;
    readonly signal: AbortSignal;
  },
): Attempted<Accepted> {
  const { way, entry, tried, health, span, signal } = how;
  const places = [way.candidate.channel.id, modelPlaceOf(way.candidate), placeOf(way)];
  for (const place of places) health.answered(place);
  entry.tried();
  let over = false;
  return {
    accepted,
    way,
    attempts: tried.length,
    tried,
    broke(reason) {
      if (!over) health.failed(way.candidate.channel.id, reason);
      over = true;
      span.end(reason);
    },
    [Symbol.dispose]() {
      if (!over && !signal.aborted) for (const place of places) health.worked(place);
      over = true;
      span.end();
      entry[Symbol.dispose]();
    },
  };
}

/** One attempt, to the beginning of an answer that can be given on. */
async function once<Accepted>(
  way: Way,
  plan: AttemptPlan<Accepted>,
  { transport }: AttemptDeps,
  { traceparent }: Span,
): Promise<Accepted> {
  const { channel } = way.candidate;
  const provider = providers[channel.provider];
  if (provider === undefined)
    throw new Failure("no_available_channel", `The channel's provider ${channel.provider} is not known.`);
  const rendered = await rendering(way, provider, plan);
  const headers = {
    ...rendered.headers,
    ...(traceparent === undefined ? {} : { [contractHeaders.traceparent]: traceparent }),
  };
  const request = { ...rendered, headers, timeoutMs: channel.timeoutMs };
  const firstByteMs = plan.stream === true ? channel.firstByteTimeoutMs : undefined;
  const { connect } = plan;
  return beginsWithin(firstByteMs, plan.signal, async (signal) => {
    const sent = connect === undefined ? transport.send(request, signal) : connectSocket(request, connect, signal);
    const answer = await reach(sent, signal);
    if (answer.status >= 300) throw await refusal(answer, provider);
    return plan.accept(answer, way);
  });
}

/** What is sent; where it cannot be said, that is not the vendor's failure. */
async function rendering(way: Way, provider: Provider, { render }: Pick<AttemptPlan<unknown>, "render">) {
  try {
    return await render(way, provider);
  } catch (error) {
    throw asFailure(error);
  }
}

/** An exchange that never got an answer, as a failure. */
async function reach(sent: Promise<UpstreamAnswer>, signal: AbortSignal): Promise<UpstreamAnswer> {
  try {
    return await sent;
  } catch (error) {
    if (signal.aborted || error instanceof Failure) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const silent = code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT";
    throw new Failure(silent ? "upstream_timeout" : "upstream_error", undefined, { cause: error });
  }
}
