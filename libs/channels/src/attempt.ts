import type { Candidate } from "@modelgate/catalog";
import type { Failure, UpstreamWire } from "@modelgate/contracts";
import { idsOf, startSpan, type Span } from "@modelgate/platform";
import { AttemptsFailed, type OpenAttempt, type AttemptPlan, type AttemptReport } from "./attempt-plan.ts";
import { observeAttempt, providerNameOf } from "./channel-metrics.ts";
import type { OccupiedSeats, Gate } from "./gate.ts";
import { fingerprintOf } from "./evidence.ts";
import type { Health } from "./health.ts";
import { noRouteFailure, RouteChooser } from "./route-chooser.ts";
import type { Route } from "./channel-scope.ts";
import { verdictOn, vendorMessageOf, type SentAttempt, type Verdict } from "./verdict.ts";
import { VendorRefusal } from "./refused.ts";
import { noUsableWireFailure, sendAttempt, type StartedAnswer, type AttemptHistory } from "./send-attempt.ts";
import type { OpenCalls, Speeds } from "./speeds.ts";
import type { SupportedWires } from "./supported-wires.ts";
import { vendorRequestIdOf, type Transport } from "./transport.ts";
import { hostOf } from "./host-of.ts";

export interface AttemptLimits {
  readonly maxAttempts: number;
  /** Time after which no further attempt begins. */
  readonly budgetMs: number;
}

/** Sends calls to vendors, with retries on other routes. */
export interface Attempts {
  /** Tries the call's routes until a vendor begins an acceptable answer. Throws AttemptsFailed. */
  run<Accepted, Wire extends UpstreamWire>(plan: AttemptPlan<Accepted, Wire>): Promise<OpenAttempt<Accepted>>;
}

export interface AttemptDeps {
  readonly transport: Transport;
  readonly health: Health;
  readonly gate: Gate;
  readonly supportedWires: SupportedWires;
  readonly speeds: Speeds;
  readonly limits: AttemptLimits;
}

export function openAttempts(deps: AttemptDeps, random: () => number = Math.random): Attempts {
  const { health, gate, supportedWires, speeds, limits } = deps;
  const score = (candidate: Candidate): number => speeds.score(candidate);
  const turns = new Map<string, number>();
  const nextTurn = (channelId: string, poolSize: number): number => {
    const next = (turns.get(channelId) ?? -1) + 1;
    turns.set(channelId, next % Math.max(1, poolSize));
    return next;
  };

  return {
    async run(plan) {
      const deadline = Date.now() + limits.budgetMs;
      const candidates = supportingCandidates(plan, supportedWires);
      const routes = new RouteChooser(plan, candidates, health, { random, nextTurn, score });
      let history: AttemptHistory = {};
      const tried: AttemptReport[] = [];
      let last: { readonly failure: Failure; readonly route: Route; readonly isFinal: boolean } | undefined;
      while (tried.length < limits.maxAttempts && (tried.length === 0 || Date.now() < deadline)) {
        const chosen = routes.next(tried.length === 0);
        if (chosen === undefined) break;
        const { route, isLastResort } = chosen;
        const attempt = { route, account: plan.account };
        if (isLastResort) health.recordLastResort(attempt);
        const entering = gate.enter(attempt, `${plan.callId}.${tried.length}`, isLastResort);
        const seats = entering instanceof Promise ? await entering : entering;
        if ("scope" in seats) {
          routes.reportRefusal(seats);
          history = { ...history, refusingWire: undefined }; // another channel may have this wire
          continue;
        }
        const openCalls = speeds.startCall(route.candidate);
        routes.reportTried(route);
        const channel = route.candidate.channel.id;
        const span = startAttemptSpan(plan.span, plan.model, route);
        const sent: SentAttempt = { attempt, startedAt: Date.now() };
        try {
          const started = await sendAttempt(sent, plan, history, deps, span);
          tried.push(reportOf(sent));
          observeAttempt(channel);
          speeds.recordAnswer(openCalls, Date.now() - sent.startedAt);
          return new RunningAttempt(health, { ...started, sent, seats, openCalls, tried, span, plan });
        } catch (error) {
          const { failure, next } = verdictOn(error, sent, { ...plan, ...history }, { health, supportedWires });
          openCalls.inFlight--;
          seats[Symbol.dispose]();
          last = { failure, route, isFinal: next === "none" };
          tried.push(reportOf(sent, failure.code, error));
          observeAttempt(channel, failure.code);
          span.end(failure.code);
          if (next === "none") break;
          history = historyAfter(history, next, sent);
          if (next !== "otherRoute") routes.retry(chosen);
        }
      }
      const { model } = plan;
      const failure = last?.failure ?? noRouteFailure({ candidates, model }, routes.refusals, routes.lastResort);
      throw new AttemptsFailed(failure, tried, last?.route, last?.isFinal);
    },
  };
}

/**
 * Selects the candidates that support one of the call's wires. Throws AttemptsFailed if every candidate is excluded.
 */
function supportingCandidates(
  { candidates, wires }: Pick<AttemptPlan<unknown>, "candidates" | "wires">,
  supportedWires: SupportedWires,
): readonly Candidate[] {
  let supporting = candidates;
  for (const candidate of candidates)
    if (supportedWires.usableWires(candidate, wires).length === 0)
      supporting = supporting.filter((each) => each !== candidate);
  if (supporting.length === 0 && candidates.length > 0) throw new AttemptsFailed(noUsableWireFailure(), [], undefined);
  return supporting;
}

function historyAfter(history: AttemptHistory, next: Verdict["next"], { wire }: SentAttempt): AttemptHistory {
  if (next === "withoutSignatures") return { ...history, history: next };
  return { ...history, refusingWire: next === "otherWire" ? wire : undefined };
}

/** Maximum characters of a vendor's error code in `AttemptReport`. */
const maxCode = 100;

function reportOf(
  { attempt: { route }, startedAt, answer, added }: SentAttempt,
  failed?: string,
  error?: unknown,
): AttemptReport {
  return {
    channel: route.candidate.channel.id,
    key: route.key.id,
    failed,
    status: answer?.status,
    vendorCode: error instanceof VendorRefusal ? error.vendorError.code?.slice(0, maxCode) : undefined,
    vendorMessage:
      error === undefined ? undefined : vendorMessageOf(error, { channel: route.candidate.channel, key: route.key }),
    upstreamRequestId: answer === undefined ? undefined : vendorRequestIdOf(answer),
    added,
    ms: Date.now() - startedAt,
  };
}

/** The accepted answer, and the resources to release when it ends. */
interface RunningAttemptParts<Accepted> extends StartedAnswer<Accepted> {
  readonly sent: SentAttempt;
  readonly seats: OccupiedSeats;
  readonly openCalls: OpenCalls;
  readonly tried: readonly AttemptReport[];
  readonly span: Span;
  readonly plan: Pick<AttemptPlan<unknown>, "callId" | "requestId" | "span" | "signal">;
}

class RunningAttempt<Accepted> implements OpenAttempt<Accepted> {
  readonly accepted: Accepted;
  readonly route: StartedAnswer<Accepted>["route"];
  readonly tried: readonly AttemptReport[];
  readonly #parts: RunningAttemptParts<Accepted>;
  readonly #health: Health;
  #hasEnded = false;
  #isDisposed = false;

  constructor(health: Health, parts: RunningAttemptParts<Accepted>) {
    const { sent, seats, span, tried } = parts;
    this.accepted = parts.accepted;
    this.route = parts.route;
    this.tried = tried;
    this.#parts = parts;
    this.#health = health;
    span.set({ "modelgate.upstream_request_id": tried.at(-1)?.upstreamRequestId });
    health.reportAnswer(sent.attempt, sent.startedAt);
    seats.endProbes();
  }

  get attempts(): number {
    return this.tried.length;
  }

  reportInterruption(reason: string): void {
    const { sent, span, plan, tried } = this.#parts;
    const body = fingerprintOf(sent.prepared?.request.body);
    const { upstreamRequestId } = tried.at(-1) ?? {};
    const seenBy = { ...idsOf(plan), callId: plan.callId, upstreamRequestId };
    if (!this.#hasEnded) this.#health.reportFailure(sent.attempt, { of: "channel", reason, body, seenBy });
    this.#hasEnded = true;
    span.end(reason);
  }

  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const { sent, seats, openCalls, span, plan } = this.#parts;
    if (!this.#hasEnded && !plan.signal.aborted) this.#health.reportSuccess(sent.attempt);
    this.#hasEnded = true;
    span.end();
    openCalls.inFlight--;
    seats[Symbol.dispose]();
  }
}

/** Starts the span of one attempt, with OpenTelemetry's attributes for generative AI. */
export function startAttemptSpan(parent: Span | undefined, model: string, { candidate }: Route): Span {
  const { channel, upstreamModel } = candidate;
  return startSpan({
    name: `call ${model}`,
    kind: "client",
    parent: parent?.traceparent,
    attributes: () => ({
      "gen_ai.provider.name": providerNameOf(channel.provider),
      "gen_ai.request.model": upstreamModel,
      "server.address": URL.canParse(channel.baseUrl) ? hostOf(new URL(channel.baseUrl)) : undefined,
      "modelgate.channel": channel.id,
    }),
  });
}
