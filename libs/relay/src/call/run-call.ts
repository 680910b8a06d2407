import { asFailure, tokensIn, type Failure, type Units } from "@modelgate/contracts";
import { AttemptsFailed } from "@modelgate/channels";
import { ClientGone, type ServiceCall } from "@modelgate/platform";
import { Bill, holdOrForget } from "../money/bill.ts";
import { clientLeft, Leaving } from "./leaving.ts";
import { deliver } from "./deliver.ts";
import type { RelayDeps } from "../deps.ts";
import { expectText, expectUnits, mostOutput, wholeOutput, type Expectation } from "../money/expect.ts";
import { unitsOfLeft } from "../money/metered.ts";
import type { CallPlan } from "./plan.ts";
import { Produced } from "../money/meter.ts";
import { send } from "./send.ts";
import { tellWay } from "./tell-way.ts";
import { boundOfHeld, boundOfText } from "../money/usage-bound.ts";
import { keepWaiting } from "./waiting.ts";

/**
 * The life of a call: expect → hold → attempt → deliver → meter → settle. Throws Failure for what the client is to
 * be told; once bytes left for the client it does not throw. Whatever happens, the hold is settled exactly once.
 */
export async function runCall(deps: RelayDeps, call: ServiceCall, plan: CallPlan): Promise<void> {
  const bill = new Bill(deps, call, plan, expect(deps, plan));
  await holdOrForget(bill);
  const { most } = bill.expected;
  const produced = new Produced({
    mostReported: most === undefined ? undefined : most.outputTokens + most.besideTokens,
    fees: plan.fees,
  });
  using _renewal = deps.renewals.keep({
    accountId: call.caller.accountId,
    callId: bill.callId,
    progress: () => progressOf(bill, produced),
  });
  using leaving = new Leaving(deps, call, plan);
  try {
    using attempted = await attempt(deps, call, plan, bill, leaving);
    bill.went(attempted.way, attempted.attempts);
    await deliver({ deps, call, plan, bill, produced, attempted, leaving, signal: leaving.ended });
  } catch (error) {
    if (error instanceof AttemptsFailed) tellWay(deps, call, error.tried);
    await fail(call, plan, bill, error, leaving);
  }
}

function expect({ limits, unseen }: RelayDeps, plan: CallPlan): Expectation {
  const { measure, size, model, multiplier } = plan;
  if (measure !== undefined)
    return {
      ...expectUnits(measure, model, multiplier),
      most: { ...boundOfHeld(measure.upper), ...measure.most },
    };
  const whole = wholeOutput(size, model, limits.outputTokens);
  const usage = boundOfText(size, model);
  if (!plan.stream) return { ...expectText(size, model, multiplier, whole), most: usage };
  const step = limits.stepTokens * size.choices;
  const hidden = plan.billsUnseen === true || unseen.has(model.name);
  const first = hidden ? whole : Math.min(step, whole);
  const output = { first, step, most: mostOutput(size, model) };
  return { ...expectText(size, model, multiplier, first), output, most: usage };
}

/** Finds a vendor that answers, with signs of life for the client meanwhile. */
async function attempt(deps: RelayDeps, call: ServiceCall, plan: CallPlan, bill: Bill, leaving: Leaving) {
  using _waiting = keepWaiting(call, plan.waiting, deps.limits.heartbeatMs);
  return await send(deps, call, plan, {
    callId: bill.callId,
    signal: leaving.ended,
    firstByte: () => bill.firstByte(),
    begins: () => leaving.begins(),
    sent: () => leaving.sent(),
  });
}

/** What is certain of a call that is under way, for its hold's floor. */
function progressOf(bill: Bill, produced: Produced) {
  const units: Units = { ...bill.expected.floorUnits, outputTokens: produced.roughTokens };
  return {
    floorNanos: bill.costOf(units),
    draft: bill.draft({ units, estimated: true, outcome: "failed", status: tokensIn(units) > 0 ? 200 : 0 }),
  };
}

/** A gateway that goes, or a body that failed, is the reason, whatever came of the exchange meanwhile. */
function whatFailed({ broken }: CallPlan, { interrupted }: Leaving, error: unknown): Failure {
  if (interrupted !== undefined) return interrupted;
  if (broken?.aborted === true) return asFailure(broken.reason);
  return error instanceof AttemptsFailed ? error.failure : asFailure(error);
}

/**
 * Nothing of an answer reached the client. What failed costs nothing, and the client is told. A client that left pays
 * what is certain once its vendor was asked, where it is not known what the vendor made of it.
 */
async function fail(call: ServiceCall, plan: CallPlan, bill: Bill, error: unknown, leaving: Leaving): Promise<void> {
  const failure = whatFailed(plan, leaving, error);
  const gone = leaving.isClientGone;
  if (error instanceof AttemptsFailed) bill.went(error.way, error.attempts);
  const isOwed = gone && leaving.isOwing(failure);
  const settled = bill.settle({
    units: isOwed ? await unitsOfLeft(plan, bill) : {},
    estimated: isOwed,
    outcome: gone ? "cancelled" : "failed",
    status: gone ? clientLeft : call.response.headersSent ? 200 : failure.status,
  });
  if (!gone && !call.response.headersSent) throw failure;
  if (!gone) return void call.response.end(plan.waiting?.fail(failure, call.requestId));
  await settled;
  throw new ClientGone("the client left before its answer");
}
