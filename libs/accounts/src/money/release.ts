import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { holdScripts } from "../shared-scripts.ts";
import { retryDuringOutage } from "./settle.ts";

export interface Release {
  readonly accountId: string;
  readonly callId: string;
}

const releaseScript = defineScript({
  file: new URL("release.lua", import.meta.url),
  shared: holdScripts,
  keys: ["account", "hold", "holds", "budgets"],
  args: { callId: "text" },
  grouped: true,
  replies: { released: {}, gone: {} },
});

/**
 * Releases a hold without a usage event. Returns false if the hold no longer exists. Throws Failure server_overloaded
 * (503) if Redis is unavailable or slow; the sweep then settles the hold.
 */
export async function releaseHold(redis: Redis, { accountId, callId }: Release): Promise<boolean> {
  const shard = shardOf(accountId);
  const { verdict } = await orUnavailable(
    releaseScript(
      redis,
      {
        account: accountKeys.account(accountId),
        hold: accountKeys.hold(accountId, callId),
        holds: accountKeys.holds(shard),
        budgets: accountKeys.budgets(accountId),
      },
      { callId },
    ),
  );
  return verdict === "released";
}

/** Releases a hold. Retries for about a minute during an outage of Redis. */
export async function releaseWithRetry(redis: Redis, release: Release): Promise<boolean> {
  try {
    return await releaseHold(redis, release);
  } catch {
    return await retryDuringOutage(() => releaseHold(redis, release));
  }
}
