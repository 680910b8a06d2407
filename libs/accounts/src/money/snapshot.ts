import { parseNanos, type Nanos } from "@modelgate/contracts";
import { defineScript, replyList, type Redis } from "@modelgate/platform";
import { keys, shardOf } from "../keys.ts";

/** An account's money at one moment, as its books are checked against. */
export interface Snapshot {
  readonly availableNanos: Nanos;
  readonly heldNanos: Nanos;
  readonly creditedNanos: Nanos;
  readonly spentNanos: Nanos;
  /** How many receipts there are, and the newest one's hash. */
  readonly receipts: number;
  readonly head: string;
  /** Sum of the open holds; undefined where the shard has too many to be looked at in one step. */
  readonly openHoldsNanos: Nanos | undefined;
}

/** Most holds of a shard that one step of Redis looks at: about ten milliseconds. */
const mostHolds = 10_000;

const run = defineScript(new URL("snapshot.lua", import.meta.url), replyList);

/** Reads an account's money in one step, or undefined. */
export async function readSnapshot(redis: Redis, accountId: string): Promise<Snapshot | undefined> {
  const shard = shardOf(accountId);
  const [available, held = "0", credited = "0", spent = "0", receipts = "0", head = "", few = "0", ...holds] =
    await run(redis, [keys.account(accountId), keys.holds(shard)], [accountId, keys.holdOfShard(shard, ""), mostHolds]);
  if (available === undefined) return undefined;
  return {
    availableNanos: parseNanos(available),
    heldNanos: parseNanos(held),
    creditedNanos: parseNanos(credited),
    spentNanos: parseNanos(spent),
    receipts: Number(receipts),
    head,
    openHoldsNanos: few === "1" ? holds.reduce((sum, nanos) => sum + parseNanos(nanos), 0n) : undefined,
  };
}
