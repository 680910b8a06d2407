import type { Nanos, UsageDraft } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { clockScript } from "../shared-scripts.ts";

export interface Renewal {
  readonly accountId: string;
  readonly callId: string;
  readonly leaseMs: number;
  /** New minimum cost, with its usage event. An amount below the previous one is ignored. */
  readonly floorNanos?: Nanos | undefined;
  readonly draft?: UsageDraft | undefined;
  readonly nowMs?: number | undefined;
}

const renewScript = defineScript({
  file: new URL("renew.lua", import.meta.url),
  shared: [clockScript],
  keys: ["hold", "holds"],
  args: { callId: "text", leaseMs: "number", floor: "nanos?", draft: "text?", nowMs: "number?" },
  replies: { renewed: {}, gone: {} },
});

/** Extends the lease of a hold. Returns false if the hold no longer exists. */
export async function renewHold(
  redis: Redis,
  { accountId, callId, leaseMs, floorNanos, draft, nowMs }: Renewal,
): Promise<boolean> {
  const { verdict } = await renewScript(
    redis,
    { hold: accountKeys.hold(accountId, callId), holds: accountKeys.holds(shardOf(accountId)) },
    { callId, leaseMs, floor: floorNanos, draft: draft && JSON.stringify(draft), nowMs },
  );
  return verdict === "renewed";
}
