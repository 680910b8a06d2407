import type { Candidate } from "@modelgate/catalog";
import type { Failure, UpstreamWire } from "@modelgate/contracts";
import { idsOf, type Span } from "@modelgate/platform";
import { AttemptsFailed, type Attempted, type AttemptPlan, type Tried } from "./attempt-plan.ts";
import { attemptSpan } from "./attempt-span.ts";
import { observeAttempt } from "./channel-metrics.ts";
import type { Entry, Gate } from "./gate.ts";
import { fingerprintOf } from "./evidence.ts";
import type { Health } from "./health.ts";
import { nothingLeft } from "./nothing-left.ts";
import type { Way } from "./way.ts";
import { verdictOn, type Sent, type Verdict } from "./verdict.ts";
import { Refused } from "./refused.ts";
import { noEndpoint, sendAttempt, type Begun, type TriedAlready } from "./send-attempt.ts";
import type { Speeds } from "./speeds.ts";
import type { SpokenWires } from "./spoken-wires.ts";
import type { Transport } from "./transport.ts";
import { vendorRequestIdOf } from "./vendor-request-id.ts";
import { WayChooser } from "./way-chooser.ts";

export interface AttemptLimits {
  readonly mostAttempts: number;
  /** After this time no further attempt begins. */
  readonly budgetMs: number;
}

/** Sends calls through channels, until the first byte for the client. */
export interface Attempts {
  /** Throws AttemptsFailed. */
  run<Accepted, Wire extends UpstreamWire>(plan: AttemptPlan<Accepted, Wire>): Promise<Attempted<Accepted>>;
}

export interface AttemptDeps {
  readonly transport: Transport;
  readonly health: Health;
  readonly gate: Gate;
  readonly spoken: SpokenWires;
  readonly speeds: Speeds;
  readonly limits: AttemptLimits;
}

export function openAttempts(deps: AttemptDeps, random: () => number = Math.random): Attempts {
  const { health, gate, spoken, speeds, limits } = deps;
  const score = (candidate: Candidate): number => speeds.score(candidate);
  const turns = new Map<string, number>();
  const turn = (channelId: string, poolSize: number): number => {
    const next = (turns.get(channelId) ?? -1) + 1;
    turns.set(channelId, next % Math.max(1, poolSize));
    return next;
  };

  return {
    async run(plan) {
      const deadline = Date.now() + limits.budgetMs;
      const candidates = speakingOf(plan, spoken);
      const ways = new WayChooser({ ...plan, candidates }, health, { random, turn, score });
      let already: TriedAlready = {};
      const tried: Tried[] = [];
      let last: { readonly failure: Failure; readonly way: Way; readonly isFinal: boolean } | undefined;
      while (tried.length < limits.mostAttempts && (tried.length === 0 || Date.now() < deadline)) {
        const chosen = ways.next(tried.length === 0);
        if (chosen === undefined) break;
        const { way, isLastResort } = chosen;
        const attempt = { way, account: plan.account };
        if (isLastResort) health.resorts(attempt);
        const entry = await gate.enter(attempt, `${plan.callId}.${tried.length}`, isLastResort);
        if ("scope" in entry) {
          ways.turnedAway(entry);
          continue;
        }
        ways.tried(way);
        const channel = way.candidate.channel.id;
        const span = attemptSpan(plan.span, plan.model, way);
        const sent: Sent = { attempt, at: Date.now() };
        try {
          const begun = await sendAttempt(sent, plan, already, deps, span);
          tried.push(triedWith(sent));
          observeAttempt(channel);
          speeds.answered(way.candidate, Date.now() - sent.at);
          return answered(begun, { sent, entry, tried, health, span, plan });
        } catch (error) {
          const { failure, next } = verdictOn(error, sent, { ...plan, ...already }, { health, spoken });
          entry[Symbol.dispose]();
          last = { failure, way, isFinal: next === "none" };
          tried.push(triedWith(sent, failure.code, error));
          observeAttempt(channel, failure.code);
          span.end(failure.code);
          if (next === "none") break;
          already = knowing(already, next, sent);
          if (next !== "another") ways.retry(chosen);
        }
      }
      const { model } = plan;
      const failure = last?.failure ?? nothingLeft({ candidates, model }, ways.away, ways.lastResort);
      throw new AttemptsFailed(failure, tried, last?.way, last?.isFinal);
    },
  };
}

/** Those that speak a wire of the call's. Throws AttemptsFailed where none of those that there are does. */
function speakingOf(
  { candidates, wires }: Pick<AttemptPlan<unknown>, "candidates" | "wires">,
  spoken: SpokenWires,
): readonly Candidate[] {
  const speaking = candidates.filter((candidate) => spoken.speaks(candidate, wires));
  if (speaking.length > 0 || candidates.length === 0) return speaking;
  throw new AttemptsFailed(noEndpoint(), [], undefined);
}

/** What the next attempt has to know. */
function knowing(already: TriedAlready, next: Verdict["next"], { wire }: Sent): TriedAlready {
  if (next === "unsealed") return { ...already, history: next };
  return { ...already, refusing: next === "elsewhere" ? wire : undefined };
}

/** Longest code of a vendor that is repeated. */
const mostCode = 100;

/** What is reported of an attempt that is over, or whose answer has begun. */
function triedWith({ attempt: { way }, at, answer }: Sent, failed?: string, error?: unknown): Tried {
  return {
    channel: way.candidate.channel.id,
    key: way.key.id,
    failed,
    status: answer?.status,
    vendorCode: error instanceof Refused ? error.said.code?.slice(0, mostCode) : undefined,
    upstreamRequestId: answer === undefined ? undefined : vendorRequestIdOf(answer),
    ms: Date.now() - at,
  };
}

/** An answer that has begun: its way has answered, and whether the answer comes to its end is not known yet. */
function answered<Accepted>(
  { accepted, way }: Begun<Accepted>,
  how: {
    readonly sent: Sent;
    readonly entry: Entry;
    readonly tried: readonly Tried[];
    readonly health: Health;
    readonly span: Span;
    readonly plan: Pick<AttemptPlan<unknown>, "callId" | "requestId" | "span" | "signal">;
  },
): Attempted<Accepted> {
  const { sent, entry, tried, health, span, plan } = how;
  const { callId, signal } = plan;
  const { attempt } = sent;
  const { upstreamRequestId } = tried.at(-1) ?? {};
  span.set({ "modelgate.upstream_request_id": upstreamRequestId });
  health.answered(attempt, sent.at);
  entry.tried();
  let over = false;
  return {
    accepted,
    way,
    attempts: tried.length,
    tried,
    broke(reason) {
      const body = fingerprintOf(sent.prepared?.request.body);
      const seenBy = { ...idsOf(plan), callId, upstreamRequestId };
      if (!over) health.failed(attempt, { of: "channel", reason, body, seenBy });
      over = true;
      span.end(reason);
    },
    [Symbol.dispose]() {
      if (!over && !signal.aborted) health.worked(attempt);
      over = true;
      span.end();
      entry[Symbol.dispose]();
    },
  };
}
