import { asFailure, tokensIn, type Failure, type Units } from "@modelgate/contracts";
import { AttemptsFailed, type Tried } from "@modelgate/channels";
import { ClientGone } from "@modelgate/platform";
import { holdMoney, type HeldMoney, type HoldWanted } from "../money/held-money.ts";
import { clientLeft, Leaving } from "./leaving.ts";
import { deliver } from "./deliver.ts";
import type { RelayDeps } from "../deps.ts";
import { expectText, expectUnits, wholeOutput, type Expectation } from "../money/expect.ts";
import { mostOutput } from "../money/request-size.ts";
import { unitsOfLeft } from "../money/metered.ts";
import type { CallPlan, RelayedCall } from "./plan.ts";
import { Meter } from "../money/meter.ts";
import { send } from "./send.ts";
import { reportRoute } from "./report-route.ts";
import { boundOfHeld, boundOfText } from "../money/usage-bound.ts";
import { notSent, type CallEnd, type SentCall } from "../money/usage-draft.ts";
import { keepWaiting, type Waiting } from "./waiting.ts";

/** A call that one model could not serve, and the plan of the next one that may. */
export interface SessionBytes {
  readonly next: CallPlan;
  /** What was tried of the models before it. */
  readonly tried: readonly Tried[];
  /** Why the last of them could not serve it. */
  readonly failure: Failure;
}

/** Where a call comes from, and where it may go. */
export interface Course {
  /** What came of the models before this one; undefined: it is the first. */
  readonly before: SessionBytes | undefined;
  /** Plans the call for the next model that may serve it; undefined where there is none. */
  standIn(): Promise<CallPlan | undefined>;
}

/**
 * The life of a call with one model: expect → hold → attempt → deliver → meter → settle. Throws Failure for what the client
 * is to see; once bytes left for the client it does not throw. Whatever happens, the hold is settled exactly once, or given
 * back where another model is to serve the call, whose plan is returned then.
 */
export async function serveCall(
  deps: RelayDeps,
  call: RelayedCall,
  plan: CallPlan,
  { before, standIn }: Course,
): Promise<SessionBytes | undefined> {
  const { model, multiplier, requested, endUser, cost, fees, waiting, broken, hearsOut } = plan;
  const earlier = before?.tried ?? [];
  const expected = expect(deps, { cost, model, multiplier });
  const { most } = expected;
  const meter = new Meter({
    mostReported: most === undefined ? undefined : most.outputTokens + most.besideTokens,
    fees,
  });
  let sent = notSent;
  const certain: CallEnd = { units: expected.floorUnits, estimated: true, outcome: "failed", status: 0, sent };
  const price = { model, multiplier, requested, fees, endUser };
  using held = await hold(deps, { call, price, expected, certain }, waiting, before);
  if (held === undefined) return undefined;
  held.renew(() => progressOf(expected, meter, sent));
  using leaving = new Leaving(deps, call.answer, { broken, hearsOut });
  try {
    using attempted = await attempt(deps, call, plan, held, leaving);
    const { route, accepted } = attempted;
    sent = {
      route,
      tried: [...earlier, ...attempted.tried],
      firstByteAt: accepted.firstByteAt,
      dropped: accepted.exchange.dropped,
    };
    const { forward, showsCost, answered } = plan;
    const asked = { model, multiplier, requested, cost, fees, waiting, forward, showsCost, answered };
    await deliver({ deps, call, ...asked, money: held, sent, meter, attempted, leaving });
  } catch (error) {
    if (error instanceof AttemptsFailed) {
      sent = { route: error.route, tried: [...earlier, ...error.tried] };
      const next = isWorthAnotherModel(error, leaving) ? await standIn() : undefined;
      if (next !== undefined) {
        await held.release();
        return { next, tried: sent.tried, failure: error.failure };
      }
      reportRoute(deps, call, sent.tried);
    }
    await fail({ call, cost, waiting, held, sent, leaving }, error);
  }
  return undefined;
}

/** Whether another model may do better: no channel of this one is to be had, and the call as such is right and still wanted. */
function isWorthAnotherModel({ failure, isFinal }: AttemptsFailed, leaving: Leaving): boolean {
  if (isFinal || leaving.isClientGone || leaving.failure !== undefined) return false;
  return failure.status >= 500 || failure.status === 429;
}

/**
 * Holds a call's money. Where that of a stand-in cannot be held, the client learns why the model before it could not serve, in
 * its stream where that has begun: undefined then. Throws Failure.
 */
async function hold(
  deps: RelayDeps,
  wanted: HoldWanted & { readonly call: RelayedCall },
  waiting: Waiting | undefined,
  before: SessionBytes | undefined,
): Promise<HeldMoney | undefined> {
  try {
    return await holdMoney(deps, wanted);
  } catch (error) {
    const { answer, requestId } = wanted.call;
    const failure = before?.failure ?? asFailure(error);
    if (!answer.begun) throw failure;
    answer.end(waiting?.fail(failure, requestId));
    return undefined;
  }
}

/** Bounds what a call may cost. */
function expect(
  { limits, unseen }: RelayDeps,
  { cost, model, multiplier }: Pick<CallPlan, "cost" | "model" | "multiplier">,
): Expectation {
  if (cost.by === "measure") {
    const { measure } = cost;
    const most = { ...boundOfHeld(measure.upper), ...measure.most };
    return { ...expectUnits(measure, model, multiplier), most };
  }
  const { size } = cost;
  const whole = wholeOutput(size, model, limits.outputTokens);
  const usage = boundOfText(size, model);
  if (!cost.stream) return { ...expectText(size, model, multiplier, whole), most: usage };
  const step = limits.stepTokens * size.choices;
  const hidden = cost.billsUnseen === true || unseen.get(model.name) === true;
  const first = hidden ? whole : Math.min(step, whole);
  const output = { first, step, most: mostOutput(size, model) };
  return { ...expectText(size, model, multiplier, first), output, most: usage };
}

/** Finds a vendor that answers, with signs of life for the client meanwhile. */
async function attempt(deps: RelayDeps, call: RelayedCall, plan: CallPlan, held: HeldMoney, leaving: Leaving) {
  using _waiting = keepWaiting(call.answer, plan.waiting, deps.limits.heartbeatMs);
  return await send(deps, call, plan, {
    callId: held.callId,
    signal: leaving.ended,
    begins: () => leaving.begins(),
    sent: () => leaving.sent(),
  });
}

/** What is certain of a call that is under way: what is charged if the service dies. */
function progressOf({ floorUnits }: Expectation, meter: Meter, sent: SentCall): CallEnd {
  const units: Units = { ...floorUnits, outputTokens: meter.roughTokens };
  return { units, estimated: true, outcome: "failed", status: tokensIn(units) > 0 ? 200 : 0, sent };
}

/**
 * Nothing of an answer reached the client. What failed costs nothing, and the client gets its error. A client that left pays
 * what is certain once its vendor was asked, if the vendor's result is unknown.
 */
async function fail({ call, cost, waiting, held, sent, leaving }: Failing, error: unknown): Promise<void> {
  const failure = leaving.failure ?? (error instanceof AttemptsFailed ? error.failure : asFailure(error));
  const gone = leaving.isClientGone;
  const isOwed = gone && leaving.isOwing(failure);
  const settled = held.settle({
    units: isOwed ? await unitsOfLeft(cost, held.expected) : {},
    estimated: isOwed,
    outcome: gone ? "cancelled" : "failed",
    status: gone ? clientLeft : call.answer.begun ? 200 : failure.status,
    sent,
    error: gone ? undefined : failure.code,
  });
  if (!gone && !call.answer.begun) throw failure;
  if (!gone) return call.answer.end(waiting?.fail(failure, call.requestId));
  await settled;
  throw new ClientGone("the client left before its answer");
}

/** A call that is about to fail, with its money. */
interface Failing extends Pick<CallPlan, "cost" | "waiting"> {
  readonly call: RelayedCall;
  readonly held: HeldMoney;
  readonly sent: SentCall;
  readonly leaving: Leaving;
}
