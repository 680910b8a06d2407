import { defineScript, orUnavailable, replyList, type Redis } from "@modelgate/platform";
import { keys, shardOf } from "../keys.ts";
import { surely } from "./surely.ts";

/** A hold that is not needed any more. */
export interface Release {
  readonly accountId: string;
  readonly callId: string;
  readonly tokenId: string;
}

const run = defineScript(
  ["budgets.lua", "release.lua"].map((file) => new URL(file, import.meta.url)),
  replyList,
);

/**
 * Gives back a hold with which nothing was bought: unlike a settlement it leaves no usage event. False where the hold
 * is gone. Throws Failure server_overloaded where Redis is away or slow; the sweep then gives it back.
 */
export async function releaseHold(redis: Redis, { accountId, callId, tokenId }: Release): Promise<boolean> {
  const shard = shardOf(accountId);
  const [verdict] = await orUnavailable(
    run(
      redis,
      [keys.account(accountId), keys.hold(accountId, callId), keys.holds(shard), keys.bucket(accountId, tokenId)],
      [callId],
    ),
  );
  return verdict === "released";
}

/** Gives a hold back through an outage of Redis of about a minute. */
export function releaseSurely(redis: Redis, release: Release): Promise<boolean> {
  return surely(() => releaseHold(redis, release));
}
