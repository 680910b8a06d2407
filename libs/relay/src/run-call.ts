import { InsufficientQuota } from "@modelgate/accounts";
import { AttemptsFailed, type OpenAttempt, type AttemptReport } from "@modelgate/channels";
import { asFailure, Failure } from "@modelgate/contracts";
import { ClientDisconnected } from "@modelgate/platform";
import { attemptCall } from "./attempt.ts";
import { CallRun, type AcceptedAnswer } from "./call-run.ts";
import type { Call, ServingModel } from "./call.ts";
import { reportDropped, reportModel, reportOutputLimit, reportRoute } from "./deliver/report-route.ts";
import type { CallDeps } from "./deps.ts";
import type { CallKind, Plan } from "./kind.ts";
import { clientDisconnectedStatus } from "./exchange-lifetime.ts";
import { expectCost, affordableOutput } from "./money/expect.ts";
import { holdMoney, type HeldMoney } from "./money/held-money.ts";
import { usageAfterDisconnect } from "./money/meter.ts";
import { deliverStream, readDetachedStream } from "./deliver/stream.ts";
import { deliverJob, deliverTask } from "./deliver/task.ts";
import { deliverCompleteAnswer } from "./deliver/complete-answer.ts";

/**
 * Runs a call: plan, hold money, attempt, deliver, settle. If no channel can serve the model, the fallbacks are tried.
 * Throws Failure only if no byte was sent to the client. Each hold is settled or released exactly once.
 */
export async function runCall<Request extends { readonly model: string }, Planned extends Plan>(
  deps: CallDeps,
  call: Call,
  kind: CallKind<Request, Planned>,
  request: Request,
): Promise<void> {
  let serving = resolveServingModel(deps, call, request.model);
  let plan = await kind.plan(call, request, serving);
  let fallbacks: string[] | undefined;
  let failedModels: FailedModels | undefined;
  for (;;) {
    let heldPlan: HeldPlan<Planned>;
    try {
      heldPlan = await holdPlan(deps, call, kind, { serving, plan });
    } catch (error) {
      return endCallWithoutHold(call, plan, failedModels?.failure ?? asFailure(error));
    }
    using heldMoney = heldPlan.held;
    plan = heldPlan.plan;
    using run = new CallRun(deps, call, { kind, plan, serving, heldMoney, triedBefore: failedModels?.tried });
    try {
      using attempted = await attemptCall(run);
      return await deliver(run, attempted);
    } catch (error) {
      if (!(error instanceof AttemptsFailed)) return await endFailedCall(run, asFailure(error));
      run.recordFailure(error);
      fallbacks ??= kind.hasFallbacks === false ? [] : fallbacksOf(deps, request.model, serving);
      const next = run.isWorthAnotherModel(error)
        ? await planFallback(deps, call, kind, request, fallbacks)
        : undefined;
      if (next === undefined) {
        reportRoute(deps, call, run.outcome.tried);
        return await endFailedCall(run, error.failure);
      }
      await heldMoney.release();
      failedModels = { tried: run.outcome.tried, failure: error.failure };
      ({ serving, plan } = next);
    }
  }
}

/**
 * Resolves the model that a client names, and its price for the caller. Throws Failure if the caller cannot use the
 * model.
 */
export function resolveServingModel(
  deps: Pick<CallDeps, "catalog">,
  { caller, endpoint, facts }: Pick<Call, "caller" | "endpoint" | "facts">,
  name: string,
): ServingModel {
  if (facts !== undefined) facts.model ??= name;
  const catalog = deps.catalog.current();
  const model = catalog.resolve(caller, name, endpoint.kinds ?? []);
  const group = catalog.group(caller.group);
  if (group === undefined) throw new Failure("group_not_allowed");
  const requested = model.name === name ? undefined : name;
  return { model, multiplier: group.multiplier, unpriced: group.unpriced, requested };
}

interface PlannedModel<Planned extends Plan> {
  readonly serving: ServingModel;
  readonly plan: Planned;
}

interface HeldPlan<Planned extends Plan> {
  readonly held: HeldMoney;
  readonly plan: Planned;
}

/** Maximum attempts to hold money. Other calls may change the balance meanwhile. */
const maxHoldAttempts = 3;

/**
 * Holds the money of a call. If it does not cover the default output limit, plans the call again with a lower limit.
 * Throws Failure as `holdMoney` does.
 */
export async function holdPlan<Planned extends Plan>(
  deps: CallDeps,
  call: Call,
  kind: Pick<CallKind<never, Planned>, "withAffordableOutput">,
  { serving, plan }: PlannedModel<Planned>,
): Promise<HeldPlan<Planned>> {
  const { model, multiplier, requested } = serving;
  let currentPlan = plan;
  let firstRefusal: InsufficientQuota | undefined;
  for (let attempt = 1; ; attempt++) {
    const { cost, fees, endUser } = currentPlan;
    const expected = expectCost(deps, cost, serving);
    const price = { model, multiplier, requested, fees, endUser };
    try {
      return { held: await holdMoney(deps, { call, price, expected }), plan: currentPlan };
    } catch (error) {
      if (!(error instanceof InsufficientQuota)) throw error;
      firstRefusal ??= error;
      const tokens =
        attempt < maxHoldAttempts ? affordableOutput(deps, cost, serving, error.remainingNanos) : undefined;
      const cheaperPlan = tokens === undefined ? undefined : kind.withAffordableOutput?.(currentPlan, tokens);
      if (cheaperPlan === undefined) throw firstRefusal;
      currentPlan = cheaperPlan;
    }
  }
}

interface FailedModels {
  readonly tried: readonly AttemptReport[];
  readonly failure: Failure;
}

/** Lists the fallbacks of the selected model and of the requested name, which may mean several models. */
function fallbacksOf({ catalog }: CallDeps, name: string, { model }: ServingModel): string[] {
  const { fallbacksOf: listed } = catalog.current();
  const all = new Set([...listed(model.name), ...listed(name)]);
  all.delete(model.name);
  return [...all];
}

/** Plans the call for the next fallback that the caller may use and that accepts the request. */
async function planFallback<Request extends { readonly model: string }, Planned extends Plan>(
  deps: CallDeps,
  call: Call,
  kind: CallKind<Request, Planned>,
  request: Request,
  remainingNames: string[],
): Promise<PlannedModel<Planned> | undefined> {
  for (let name = remainingNames.shift(); name !== undefined; name = remainingNames.shift()) {
    try {
      const serving = { ...resolveServingModel(deps, call, name), requested: request.model };
      return { serving, plan: await kind.plan(call, request, serving) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
  return undefined;
}

/** Ends a call for which no money could be held: throws the failure, or writes it into a stream that has begun. */
function endCallWithoutHold({ answer, facts, requestId }: Call, plan: Plan, failure: Failure): void {
  if (!answer.isHeadSent) throw failure;
  if (facts !== undefined) facts.refusal = failure;
  answer.end(plan.pendingStream?.fail(failure, requestId));
}

/**
 * Ends a call without an answer. A connected client pays nothing. A client that disconnected pays
 * `usageAfterDisconnect` if the vendor's result is unknown.
 */
async function endFailedCall(run: CallRun, cause: Failure): Promise<void> {
  const { call, plan, heldMoney, lifetime } = run;
  const failure = lifetime.failure ?? cause;
  const isClientGone = lifetime.isClientGone;
  const isOwed = isClientGone && lifetime.mustClientPay(failure);
  const units = isOwed ? await usageAfterDisconnect(plan.cost, heldMoney.expected) : {};
  // Only a stream can begin before the vendor answers. If another answer has begun, it is the error that ended the
  // call.
  const hasBegun = plan.pendingStream !== undefined && call.answer.isHeadSent;
  const status = isClientGone ? clientDisconnectedStatus : hasBegun ? 200 : failure.status;
  const error = isClientGone ? undefined : failure.code;
  const settled = run.settle({ units, estimated: isOwed }, isClientGone ? "cancelled" : "failed", status, error);
  if (!isClientGone && !hasBegun) throw failure;
  if (!isClientGone) return call.answer.end(plan.pendingStream?.fail(failure, call.requestId));
  await settled;
  throw new ClientDisconnected("the client disconnected before the answer");
}

/** Delivers an answer to the client and settles the call. Throws Failure if a task fails. */
export function deliver(run: CallRun, attempted: OpenAttempt<AcceptedAnswer>): Promise<void> {
  const { deps, call, lifetime, outcome, plan, serving } = run;
  const { accepted } = attempted;
  const { dropped } = accepted.exchange;
  if (dropped.length > 0) reportDropped(call.answer, dropped);
  reportRoute(deps, call, outcome.tried);
  if (serving.requested !== undefined) reportModel(call.answer, serving.model.name);
  if (plan.cost.by === "text" && plan.cost.size.affordableOutputTokens !== undefined)
    reportOutputLimit(call.answer, plan.cost.size.affordableOutputTokens);
  if (accepted.kind === "complete") return deliverCompleteAnswer(run, attempted, accepted.answer);
  if (accepted.kind === "task") return deliverTask(run, attempted, accepted);
  if (accepted.kind === "job") return deliverJob(run, attempted, accepted);
  return (lifetime.isClientGone ? readDetachedStream : deliverStream)(run, attempted, accepted);
}
