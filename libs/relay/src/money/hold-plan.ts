import { InsufficientQuota } from "@modelgate/accounts";
import type { Nanos } from "@modelgate/contracts";
import type { Call, ServingModel } from "../call.ts";
import type { CallDeps } from "../deps.ts";
import type { CallKind, Plan } from "../kind.ts";
import { expectCost, upperCost, wholeOutput } from "./expect.ts";
import { holdMoney, type HeldMoney } from "./held-money.ts";
import type { CallCost } from "./measure.ts";
import { notSent } from "./usage-draft.ts";

/**
 * Minimum output tokens to which a call is lowered: about two hundred words. With less, most answers would end before
 * they are useful, at the client's cost.
 */
export const minPaidOutput = 256;
/**
 * Maximum attempts to hold a call's money: concurrent calls may reduce the balance between the computation and the
 * hold.
 */
const maxAttempts = 3;

/** A model that can serve the call, and the plan of the call for that model. */
export interface ServedModel<Planned extends Plan> {
  readonly serving: ServingModel;
  readonly plan: Planned;
}

/** Money held for a call, and the plan that it was computed for. */
export interface HeldPlan<Planned extends Plan> {
  readonly held: HeldMoney;
  readonly plan: Planned;
}

/**
 * Holds a call's money. If the balance or a budget does not cover the default output limit, the call is planned again
 * with the limit that it covers. Throws Failure as `holdMoney` does.
 */
export async function holdPlan<Planned extends Plan>(
  deps: CallDeps,
  call: Call,
  kind: Pick<CallKind<never, Planned>, "withPaidOutput">,
  { serving, plan }: ServedModel<Planned>,
): Promise<HeldPlan<Planned>> {
  const { model, multiplier, requested } = serving;
  let paid = plan;
  let refused: InsufficientQuota | undefined;
  for (let attempt = 1; ; attempt++) {
    const { cost, fees, endUser } = paid;
    const expected = expectCost(deps, cost, serving);
    const price = { model, multiplier, requested, fees, endUser };
    const { floorUnits: units } = expected;
    const certain = { units, estimated: true, outcome: "failed", status: 0, sent: notSent } as const;
    try {
      return { held: await holdMoney(deps, { call, price, expected, certain }), plan: paid };
    } catch (error) {
      if (!(error instanceof InsufficientQuota)) throw error;
      refused ??= error;
      const tokens = attempt < maxAttempts ? paidOutput(deps, cost, serving, error.leftNanos) : undefined;
      const lowered = tokens === undefined ? undefined : kind.withPaidOutput?.(paid, tokens);
      if (lowered === undefined) throw refused;
      paid = lowered;
    }
  }
}

/**
 * Returns the maximum output of each answer that an amount covers, at most the default limit. Undefined if that is
 * below the minimum, or if the client set a limit.
 */
function paidOutput(
  { limits }: Pick<CallDeps, "limits">,
  cost: CallCost,
  { model, multiplier }: ServingModel,
  nanos: Nanos,
): number | undefined {
  if (cost.by !== "text") return undefined;
  const { size } = cost;
  if (size.maxOutputTokens !== undefined && size.paidOutputTokens === undefined) return undefined;
  const covers = (tokens: number): boolean => upperCost(size, model, multiplier, tokens * size.choices) <= nanos;
  let [covered, above] = [0, Math.floor(wholeOutput(size, model, limits.outputTokens) / size.choices) + 1];
  while (above - covered > 1) {
    const middle = Math.floor((covered + above) / 2);
    if (covers(middle)) covered = middle;
    else above = middle;
  }
  return covered >= minPaidOutput ? covered : undefined;
}
