import { unitEntries, type UsageEvent } from "@modelgate/contracts";
import { defineScript, replyList, type Redis } from "@modelgate/platform";
import { keys } from "../keys.ts";

/** How long totals and the log of a day are kept, and how many events of an account's day the log holds. */
export interface UsageRetention {
  readonly keepSeconds: number;
  readonly logEntries: number;
}

/** Between the parts of a totals field: it occurs in no id and no model name. */
export const fieldBreak = "\u001f";

const run = defineScript(new URL("record.lua", import.meta.url), replyList);

/** Counts an event, once by its id: deliveries may repeat. False where it was counted before. */
export async function recordUsage(redis: Redis, event: UsageEvent, retention: UsageRetention): Promise<boolean> {
  const day = event.time.slice(0, 10);
  const { accountId } = event;
  const [verdict] = await run(
    redis,
    [
      keys.logged(accountId, day),
      keys.totals(accountId, day),
      keys.usageLog(accountId, day),
      keys.usageRequests(accountId, day),
    ],
    [
      event.id,
      JSON.stringify(event),
      retention.keepSeconds,
      retention.logEntries,
      [event.tokenId, event.model, event.channelId, ""].join(fieldBreak),
      event.requestId + fieldBreak,
      ...measures(event).flatMap(([name, amount]) => [name, amount]),
    ],
  );
  return verdict === "recorded";
}

/** What is summed: calls, cost and every unit; seconds as milliseconds, since sums are whole numbers. */
function measures(event: UsageEvent): readonly (readonly [string, string])[] {
  const units = unitEntries(event.units)
    .filter(([unit]) => unit !== "requests")
    .map(([unit, amount]) =>
      unit === "seconds" ? (["milliseconds", whole(amount * 1_000)] as const) : ([unit, whole(amount)] as const),
    );
  return [["calls", "1"], ["costNanos", event.costNanos], ...units];
}

/** An amount as Redis can add it, whatever a vendor reported. */
function whole(amount: number): string {
  return String(Math.min(Math.max(0, Math.round(amount)), Number.MAX_SAFE_INTEGER));
}
