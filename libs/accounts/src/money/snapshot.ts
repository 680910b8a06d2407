import type { Nanos } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";

/** Amounts of an account at one moment, for its verification. */
export interface Snapshot {
  readonly availableNanos: Nanos;
  readonly heldNanos: Nanos;
  readonly creditedNanos: Nanos;
  readonly spentNanos: Nanos;
  /** Number of the account's receipts, and the hash of the last one. */
  readonly receipts: number;
  readonly head: string;
  /** Sum of the account's open holds; undefined if its shard has more than `maxHolds`. */
  readonly openHoldsNanos: Nanos | undefined;
}

const maxHolds = 10_000;

const snapshotScript = defineScript({
  file: new URL("snapshot.lua", import.meta.url),
  keys: ["account", "holds"],
  args: { accountId: "text", holdPrefix: "text", maxHolds: "number" },
  replies: {
    found: {
      available: "nanos",
      held: "nanos",
      credited: "nanos",
      spent: "nanos",
      receipts: "number",
      head: "text",
      complete: "flag",
      holds: "nanos[]",
    },
    "no-account": {},
  },
});

/** Reads an account's amounts in one step; undefined if the account does not exist. */
export async function readSnapshot(redis: Redis, accountId: string): Promise<Snapshot | undefined> {
  const shard = shardOf(accountId);
  const reply = await snapshotScript(
    redis,
    { account: accountKeys.account(accountId), holds: accountKeys.holds(shard) },
    { accountId, holdPrefix: accountKeys.holdOfShard(shard, ""), maxHolds },
  );
  if (reply.verdict === "no-account") return undefined;
  return {
    availableNanos: reply.available,
    heldNanos: reply.held,
    creditedNanos: reply.credited,
    spentNanos: reply.spent,
    receipts: reply.receipts,
    head: reply.head,
    openHoldsNanos: reply.complete ? reply.holds.reduce((sum, nanos) => sum + nanos, 0n) : undefined,
  };
}
