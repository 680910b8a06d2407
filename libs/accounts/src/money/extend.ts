import { Failure, type Nanos } from "@modelgate/contracts";
import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { holdScripts } from "../shared-scripts.ts";
import { maxAmount } from "./account.ts";

/** An amount that is added to the hold of an open call. */
export interface Extension {
  readonly accountId: string;
  readonly callId: string;
  readonly nanos: Nanos;
  /** True if a disabled account may not continue the call; default false. */
  readonly ifEnabled?: boolean | undefined;
}

const extendScript = defineScript({
  file: new URL("extend.lua", import.meta.url),
  shared: holdScripts,
  keys: ["account", "hold", "budgets"],
  args: { nanos: "nanos", ifEnabled: "flag" },
  replies: { extended: {}, gone: {}, disabled: {}, "too-low": {} },
});

/**
 * Adds an amount to a hold. Returns false if the hold no longer exists. Throws Failure insufficient_quota (402),
 * account_disabled (403) with `ifEnabled`, or server_overloaded (503).
 */
export async function extendHold(
  redis: Redis,
  { accountId, callId, nanos, ifEnabled = false }: Extension,
): Promise<boolean> {
  if (nanos < 0n || (nanos === 0n && !ifEnabled)) return true;
  if (nanos > maxAmount) throw new Failure("insufficient_quota");
  const { verdict } = await orUnavailable(
    extendScript(
      redis,
      {
        account: accountKeys.account(accountId),
        hold: accountKeys.hold(accountId, callId),
        budgets: accountKeys.budgets(accountId),
      },
      { nanos, ifEnabled },
    ),
  );
  if (verdict === "disabled") throw new Failure("account_disabled");
  if (verdict === "too-low") throw new Failure("insufficient_quota");
  return verdict === "extended";
}
