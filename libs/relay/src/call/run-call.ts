import { asFailure, tokensIn, type Failure, type Units } from "@modelgate/contracts";
import { AttemptsFailed } from "@modelgate/channels";
import { ClientGone } from "@modelgate/platform";
import { holdMoney, type HeldMoney } from "../money/held-money.ts";
import { clientLeft, Leaving } from "./leaving.ts";
import { deliver } from "./deliver.ts";
import type { RelayDeps } from "../deps.ts";
import { expectText, expectUnits, wholeOutput, type Expectation } from "../money/expect.ts";
import { mostOutput } from "../money/request-size.ts";
import { unitsOfLeft } from "../money/metered.ts";
import type { CallPlan, RelayedCall } from "./plan.ts";
import { Meter } from "../money/meter.ts";
import { send } from "./send.ts";
import { reportWay } from "./report-way.ts";
import { boundOfHeld, boundOfText } from "../money/usage-bound.ts";
import { notSent, type CallEnd, type SentCall } from "../money/usage-draft.ts";
import { keepWaiting } from "./waiting.ts";

/**
 * The life of a call: expect → hold → attempt → deliver → meter → settle. Throws Failure for what the client is
 * to see; once bytes left for the client it does not throw. Whatever happens, the hold is settled exactly once.
 */
export async function runCall(deps: RelayDeps, call: RelayedCall, plan: CallPlan): Promise<void> {
  const expected = expect(deps, plan);
  const { most } = expected;
  const meter = new Meter({
    mostReported: most === undefined ? undefined : most.outputTokens + most.besideTokens,
    fees: plan.fees,
  });
  let sent = notSent;
  const certain: CallEnd = { units: expected.floorUnits, estimated: true, outcome: "failed", status: 0, sent };
  using held = await holdMoney(deps, { call, price: plan, expected, certain });
  held.renew(() => progressOf(expected, meter, sent));
  using leaving = new Leaving(deps, call.answer, plan);
  try {
    using attempted = await attempt(deps, call, plan, held, leaving);
    const { way, tried, accepted } = attempted;
    sent = { way, tried, firstByteAt: accepted.firstByteAt, dropped: accepted.exchange.dropped };
    await deliver({ deps, call, plan, money: held, sent, meter, attempted, leaving });
  } catch (error) {
    if (error instanceof AttemptsFailed) {
      reportWay(deps, call, error.tried);
      sent = { way: error.way, tried: error.tried };
    }
    await fail({ call, plan, held, sent, leaving }, error);
  }
}

function expect({ limits, unseen }: RelayDeps, { cost, model, multiplier }: CallPlan): Expectation {
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

/** A gateway that goes, or a body that failed, is the reason, whatever came of the exchange meanwhile. */
function whatFailed({ broken }: CallPlan, { interrupted }: Leaving, error: unknown): Failure {
  if (interrupted !== undefined) return interrupted;
  if (broken?.aborted === true) return asFailure(broken.reason);
  return error instanceof AttemptsFailed ? error.failure : asFailure(error);
}

/**
 * Nothing of an answer reached the client. What failed costs nothing, and the client gets its error. A client that left pays
 * what is certain once its vendor was asked, if the vendor's result is unknown.
 */
async function fail({ call, plan, held, sent, leaving }: Failing, error: unknown): Promise<void> {
  const failure = whatFailed(plan, leaving, error);
  const gone = leaving.isClientGone;
  const isOwed = gone && leaving.isOwing(failure);
  const settled = held.settle({
    units: isOwed ? await unitsOfLeft(plan.cost, held.expected) : {},
    estimated: isOwed,
    outcome: gone ? "cancelled" : "failed",
    status: gone ? clientLeft : call.answer.begun ? 200 : failure.status,
    sent,
    error: gone ? undefined : failure.code,
  });
  if (!gone && !call.answer.begun) throw failure;
  if (!gone) return call.answer.end(plan.waiting?.fail(failure, call.requestId));
  await settled;
  throw new ClientGone("the client left before its answer");
}

/** A call that is about to fail, with its money. */
interface Failing {
  readonly call: RelayedCall;
  readonly plan: CallPlan;
  readonly held: HeldMoney;
  readonly sent: SentCall;
  readonly leaving: Leaving;
}
