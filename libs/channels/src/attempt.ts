import { Failure, headers as contractHeaders } from "@modelgate/contracts";
import type { Candidate } from "@modelgate/catalog";
import { providers, type Provider, type VendorFailure } from "@modelgate/providers";
import type { Span } from "@modelgate/platform";
import { attemptSpan } from "./attempt-span.ts";
import { beginsWithin } from "./begins-within.ts";
import { observeAttempt } from "./channel-metrics.ts";
import type { Entry, Gate, TurnedAway } from "./gate.ts";
import type { Health } from "./health.ts";
import { nothingLeft } from "./nothing-left.ts";
import { pick, placeOf, type Way } from "./pick.ts";
import { readText } from "./read-text.ts";
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
  /** Looks at the beginning of a successful answer; throws Failure where it is none, and the next way is tried. */
  readonly accept: (answer: UpstreamAnswer, way: Way) => Promise<Accepted>;
  /** Told that the vendor has no endpoint where the call was sent; whether there is another one to try there. */
  readonly unspoken: (way: Way, provider: Provider) => boolean;
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
 * An answer that can be given to the client. Dispose it when the exchange is over: the channel's seat is free then,
 * and the channel has worked, unless the answer broke or its client left.
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

/** How much of an error answer is read. */
const errorBodyBytes = 64 * 1024;
/** How long a key rests whose vendor said neither when nor why to come back. */
const refusedKeyRestMs = 60_000;
const longestRetryAfterMs = 600_000;
/** The one status of a vendor that says more than that the client's input was wrong. */
const tooLarge = 413;

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
          entry[Symbol.dispose]();
          const { failure, next } = verdictOn(error, way, plan, health);
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
  const places = [way.candidate.channel.id, placeOf(way)];
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
  const rendered = await plan.render(way, provider);
  const headers = {
    ...rendered.headers,
    ...(traceparent === undefined ? {} : { [contractHeaders.traceparent]: traceparent }),
  };
  const request = { ...rendered, headers, timeoutMs: channel.timeoutMs };
  const firstByteMs = plan.stream === true ? channel.firstByteTimeoutMs : undefined;
  return beginsWithin(firstByteMs, plan.signal, async (signal) => {
    const answer = await reach(transport.send(request, signal), signal);
    if (answer.status >= 300) throw await refusal(answer, provider);
    return plan.accept(answer, way);
  });
}

/** A refusal by the vendor, on its way to be blamed on somebody; `accept` throws it for one that came with a good status. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly meaning: VendorFailure;
  readonly failure: Failure;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  constructor(meaning: VendorFailure, status: number, retryAfterMs: number | undefined) {
    super(meaning.code);
    this.meaning = meaning;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.failure = new Failure(meaning.code, meaning.say, {
      param: meaning.param,
      vendorCode: meaning.blame === "request" ? meaning.vendorCode : undefined,
      status: meaning.blame === "request" && status === tooLarge ? status : undefined,
      retryAfterSeconds: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000),
    });
  }
}

async function refusal(answer: UpstreamAnswer, provider: Provider): Promise<Refused> {
  const meaning = provider.failureOf(answer.status, await readText(answer, errorBodyBytes));
  return new Refused(meaning, answer.status, retryAfterOf(answer) ?? meaning.retryAfterMs);
}

/** The vendor's `retry-after`, seconds or a date, bounded. */
function retryAfterOf({ headers }: UpstreamAnswer): number | undefined {
  const text = headers["retry-after"];
  if (typeof text !== "string") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), longestRetryAfterMs);
}

/** An exchange that never got an answer, as a failure. */
async function reach(sent: Promise<UpstreamAnswer>, signal: AbortSignal): Promise<UpstreamAnswer> {
  try {
    return await sent;
  } catch (error) {
    if (signal.aborted) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const silent = code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT";
    throw new Failure(silent ? "upstream_timeout" : "upstream_error", undefined, { cause: error });
  }
}

/** What a failed attempt comes to: what the client sees if nothing better comes, and which way is next. */
interface Verdict {
  readonly failure: Failure;
  readonly next: "none" | "same" | "another";
}

function verdictOn(error: unknown, way: Way, plan: AttemptPlan<unknown>, health: Health): Verdict {
  if (plan.signal.aborted) return { failure: new Failure("upstream_error", undefined, { cause: error }), next: "none" };
  if (isElsewhere(error, way, plan)) return { failure: error.failure, next: "same" };
  const failure = blame(error, way, health);
  // What may have been taken by the vendor must not be sent again.
  if (plan.unrepeatable === true && mayBeTaken(error))
    return { failure: new Failure("create_uncertain", undefined, { cause: error }), next: "none" };
  return { failure, next: isWorthAnother(error) ? "another" : "none" };
}

/** Notes who failed, and gives the failure that the client sees if nothing better comes. */
function blame(error: unknown, way: Way, health: Health): Failure {
  if (error instanceof Refused) {
    const { meaning, retryAfterMs, failure } = error;
    if (meaning.keyIsInvalid === true) health.refused(placeOf(way), meaning.code);
    else if (meaning.blame === "key")
      health.failed(
        placeOf(way),
        meaning.code,
        retryAfterMs ?? (meaning.code === "upstream_auth_failed" ? refusedKeyRestMs : undefined),
      );
    if (meaning.blame === "channel" || meaning.blame === "wire")
      health.failed(way.candidate.channel.id, meaning.code, retryAfterMs);
    return failure;
  }
  const failure = error instanceof Failure ? error : new Failure("upstream_error", undefined, { cause: error });
  if (failure.status >= 500) health.failed(way.candidate.channel.id, failure.code);
  return failure;
}

/** Whether the vendor only lacks that endpoint and has another one that may serve the call. */
function isElsewhere(error: unknown, way: Way, plan: AttemptPlan<unknown>): error is Refused {
  if (!(error instanceof Refused) || error.meaning.blame !== "wire") return false;
  const provider = providers[way.candidate.channel.provider];
  return provider !== undefined && plan.unspoken(way, provider);
}

/** What one vendor's wire cannot say, another's may. */
function isWorthAnother(error: unknown): boolean {
  if (error instanceof Refused) return error.meaning.retryable;
  return !(error instanceof Failure) || error.status >= 500 || error.code === "unsupported_parameter";
}

/** Connections that never came to be: nothing was sent. */
const neverSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether the vendor may have taken a call all the same: only a plain refusal, or no connection, rules it out. */
function mayBeTaken(error: unknown): boolean {
  if (error instanceof Refused) return error.status === 408 || (error.status >= 500 && error.status !== 503);
  if (!(error instanceof Failure)) return true;
  if (error.status < 500 || error.code === "no_available_channel") return false;
  const { cause } = error;
  return !(cause instanceof Error && "code" in cause && neverSent.has(String(cause.code)));
}
