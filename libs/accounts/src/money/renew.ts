import type { Nanos, UsageDraft } from "@modelgate/contracts";
import { defineScript, replyList, type Redis } from "@modelgate/platform";
import { keys, shardOf } from "../keys.ts";

export interface Renewal {
  readonly accountId: string;
  readonly callId: string;
  readonly leaseMs: number;
  /** What is certain by now, with the event that would tell of it; never lowers what was certain before. */
  readonly floorNanos?: Nanos;
  readonly draft?: UsageDraft;
  readonly nowMs?: number;
}

const run = defineScript(new URL("renew.lua", import.meta.url), replyList);

/** Prolongs a hold's lease; false where the hold is gone. */
export async function renewHold(
  redis: Redis,
  { accountId, callId, leaseMs, floorNanos, draft, nowMs = 0 }: Renewal,
): Promise<boolean> {
  const [verdict] = await run(
    redis,
    [keys.hold(accountId, callId), keys.holds(shardOf(accountId))],
    [callId, leaseMs, floorNanos?.toString() ?? "", draft === undefined ? "" : JSON.stringify(draft), nowMs],
  );
  return verdict === "renewed";
}
