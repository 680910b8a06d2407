import { Failure } from "@modelgate/contracts";
import type { Candidate } from "@modelgate/catalog";
import { providers, type Provider, type VendorFailure } from "@modelgate/providers";
import { connectSocket, type ConnectOptions } from "./connect.ts";
import type { Health } from "./health.ts";
import { pick, placeOf, soonest, type Way } from "./pick.ts";
import { readText } from "./read-text.ts";
import type { ChannelSeats } from "./seats.ts";
import type { Transport, UpstreamAnswer, UpstreamRequest } from "./transport.ts";

/** What a call needs of its attempts. */
export interface AttemptPlan<Accepted> {
  readonly callId: string;
  readonly model: string;
  readonly candidates: readonly Candidate[];
  /** What to send that way; called for every attempt, always from the untouched client body. */
  readonly render: (way: Way, provider: Provider) => Omit<UpstreamRequest, "timeoutMs">;
  /** The vendor is met by WebSocket: the answer is 101 and carries the open connection. Absent: by HTTP. */
  readonly connect?: ConnectOptions | undefined;
  /** Looks at the beginning of a successful answer; throws Failure where it is none, and the next way is tried. */
  readonly accept: (answer: UpstreamAnswer, way: Way) => Promise<Accepted>;
  /** Told that the vendor has no endpoint where the call was sent; whether there is another one to try there. */
  readonly unspoken: (way: Way, provider: Provider) => boolean;
  /** A way that is tried first while it can be: `channel/key`. */
  readonly prefer?: string | undefined;
  readonly signal: AbortSignal;
}

/** An answer that can be given to the client. Dispose it when the exchange is over: the channel's seat is free then. */
export interface Attempted<Accepted> extends Disposable {
  readonly accepted: Accepted;
  readonly way: Way;
  /** How many attempts it took. */
  readonly attempts: number;
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
  constructor(failure: Failure, attempts: number, way: Way | undefined) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.attempts = attempts;
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
  readonly seats: ChannelSeats;
  readonly limits: AttemptLimits;
}

export function openAttempts(deps: AttemptDeps, random: () => number = Math.random): Attempts {
  const { health, seats, limits } = deps;
  const turns = new Map<string, number>();
  const turn = (channelId: string, poolSize: number): number => {
    const next = (turns.get(channelId) ?? -1) + 1;
    turns.set(channelId, next % Math.max(1, poolSize));
    return next;
  };

  return {
    async run(plan) {
      const deadline = Date.now() + limits.budgetMs;
      const tried = new Set<string>();
      const full = new Set<string>();
      const excluded = (at: Way): boolean => tried.has(placeOf(at)) || full.has(at.candidate.channel.id);
      let attempts = 0;
      let last: { readonly failure: Failure; readonly way: Way } | undefined;
      while (attempts < limits.mostAttempts && (attempts === 0 || Date.now() < deadline)) {
        const { prefer } = plan;
        const way = pick(plan.candidates, { restsUntil: health.restsUntil, excluded, random, turn, prefer });
        if (way === undefined) break;
        const seat = await seats.take(way.candidate.channel, `${plan.callId}.${attempts}`);
        if (seat === undefined) {
          full.add(way.candidate.channel.id);
          continue;
        }
        attempts++;
        tried.add(placeOf(way));
        try {
          return {
            accepted: await once(way, plan, deps),
            way,
            attempts,
            [Symbol.dispose]: () => seat[Symbol.dispose](),
          };
        } catch (error) {
          seat[Symbol.dispose]();
          if (plan.signal.aborted)
            throw new AttemptsFailed(new Failure("upstream_error", undefined, { cause: error }), attempts, way);
          if (isElsewhere(error, way, plan)) {
            tried.delete(placeOf(way));
            last = { failure: error.failure, way };
            continue;
          }
          last = { failure: blame(error, way, health), way };
          if (!isWorthAnother(error)) break;
        }
      }
      throw new AttemptsFailed(last?.failure ?? nothingLeft(plan, full, health), attempts, last?.way);
    },
  };
}

/** One attempt, to the beginning of an answer that can be given on. */
async function once<Accepted>(
  way: Way,
  plan: AttemptPlan<Accepted>,
  { transport, health }: AttemptDeps,
): Promise<Accepted> {
  const { channel } = way.candidate;
  const provider = providers[channel.provider];
  if (provider === undefined)
    throw new Failure("no_available_channel", `The channel's provider ${channel.provider} is not known.`);
  const request = { ...plan.render(way, provider), timeoutMs: channel.timeoutMs };
  const { connect, signal } = plan;
  const sent = connect === undefined ? transport.send(request, signal) : connectSocket(request, connect, signal);
  const answer = await reach(sent, signal);
  if (answer.status >= 300) throw await refusal(answer, provider);
  const accepted = await plan.accept(answer, way);
  health.worked(channel.id);
  health.worked(placeOf(way));
  return accepted;
}

/** A refusal by the vendor, on its way to be blamed on somebody. */
class Refused extends Error {
  override readonly name = "Refused";
  readonly meaning: VendorFailure;
  readonly failure: Failure;
  readonly retryAfterMs: number | undefined;
  constructor(meaning: VendorFailure, status: number, retryAfterMs: number | undefined) {
    super(meaning.code);
    this.meaning = meaning;
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
    if (signal.aborted || error instanceof Failure) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const silent = code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT";
    throw new Failure(silent ? "upstream_timeout" : "upstream_error", undefined, { cause: error });
  }
}

/** Notes who failed, and gives the failure that the client sees if nothing better comes. */
function blame(error: unknown, way: Way, health: Health): Failure {
  if (error instanceof Refused) {
    const { meaning, retryAfterMs, failure } = error;
    if (meaning.blame === "key")
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

/** No attempt could be made: every channel is full, rests, or is switched off. */
function nothingLeft({ candidates, model }: AttemptPlan<unknown>, full: ReadonlySet<string>, health: Health): Failure {
  if (full.size > 0) return new Failure("channel_concurrency_exceeded", undefined, { retryAfterSeconds: 1 });
  const until = soonest(candidates, health.restsUntil);
  const seconds = until === undefined ? 30 : Math.max(1, Math.ceil((until - Date.now()) / 1_000));
  return new Failure(
    "no_available_channel",
    `No channel of ${JSON.stringify(model)} is available now; try again in ${seconds} s.`,
    { retryAfterSeconds: seconds },
  );
}
