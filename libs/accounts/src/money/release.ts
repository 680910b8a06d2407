import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { holdScripts } from "../shared-scripts.ts";
import { repeatThroughOutage } from "./settle.ts";

/** A hold to be released. */
export interface Release {
  readonly accountId: string;
  readonly callId: string;
}

const run = defineScript({
  file: new URL("release.lua", import.meta.url),
  shared: holdScripts,
  keys: ["account", "hold", "holds"],
  args: { callId: "text" },
  grouped: true,
  replies: { released: {}, gone: {} },
});

/**
 * Releases a hold without a usage event, because nothing was bought. Returns false if the hold no longer exists. Throws
 * Failure server_overloaded if Redis is unavailable or slow; the sweep then releases it.
 */
export async function releaseHold(redis: Redis, { accountId, callId }: Release): Promise<boolean> {
  const shard = shardOf(accountId);
  const { verdict } = await orUnavailable(
    run(
      redis,
      {
        account: accountKeys.account(accountId),
        hold: accountKeys.hold(accountId, callId),
        holds: accountKeys.holds(shard),
      },
      { callId },
    ),
  );
  return verdict === "released";
}

/** Releases a hold; retries during an outage of Redis for about a minute. */
export async function releaseWithRetry(redis: Redis, release: Release): Promise<boolean> {
  try {
    return await releaseHold(redis, release);
  } catch {
    return await repeatThroughOutage(() => releaseHold(redis, release));
  }
}
