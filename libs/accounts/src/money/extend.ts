import { Failure, type Nanos } from "@modelgate/contracts";
import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { holdScripts } from "../shared-scripts.ts";
import { largestAmount } from "./account.ts";

/** More money for a call that is under way. */
export interface Extension {
  readonly accountId: string;
  readonly callId: string;
  readonly nanos: Nanos;
}

const run = defineScript({
  file: new URL("extend.lua", import.meta.url),
  shared: holdScripts,
  keys: ["account", "hold"],
  args: { nanos: "nanos" },
  replies: { extended: {}, gone: {}, "too-low": {} },
});

/**
 * Adds to a hold in one atomic step; false where the hold is gone. Throws Failure insufficient_quota (402) where the
 * account cannot cover it, server_overloaded (503) where Redis is away or slow.
 */
export async function extendHold(redis: Redis, { accountId, callId, nanos }: Extension): Promise<boolean> {
  if (nanos <= 0n) return true;
  if (nanos > largestAmount) throw new Failure("insufficient_quota");
  const { verdict } = await orUnavailable(
    run(redis, { account: accountKeys.account(accountId), hold: accountKeys.hold(accountId, callId) }, { nanos }),
  );
  if (verdict === "too-low") throw new Failure("insufficient_quota");
  return verdict === "extended";
}
