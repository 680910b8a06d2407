import { asFailure, Failure, headers as contractHeaders } from "@modelgate/contracts";
import type { Span } from "@modelgate/platform";
import { providers, type Provider } from "@modelgate/providers";
import { AttemptsFailed, type Attempted, type AttemptPlan, type Tried } from "./attempt-plan.ts";
import { attemptSpan } from "./attempt-span.ts";
import { beginsWithin } from "./begins-within.ts";
import { observeAttempt } from "./channel-metrics.ts";
import { connectSocket } from "./connect.ts";
import type { Entry, Gate, TurnedAway } from "./gate.ts";
import type { Health } from "./health.ts";
import { nothingLeft } from "./nothing-left.ts";
import { modelPlaceOf, pick, placeOf, type Way } from "./pick.ts";
import { refusal } from "./refused.ts";
import { verdictOn } from "./verdict.ts";
import type { Transport } from "./transport.ts";
import type { UpstreamAnswer } from "./upstream.ts";

export interface AttemptLimits {
  readonly mostAttempts: number;
  /** After this time no further attempt begins. */
  readonly budgetMs: number;
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
