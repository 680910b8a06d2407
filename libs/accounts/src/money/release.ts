import { defineScript, orUnavailable, replyList, type Redis } from "@modelgate/platform";
import { keys, shardOf } from "../keys.ts";

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
