import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { shardOf } from "@modelgate/accounts";
import { unitEntries, type UsageEvent } from "@modelgate/contracts";

const script = readFileSync(join(import.meta.dirname, "record.lua"), "utf8");
const fieldBreak = "\u001f";

/** Records an event in Redis with the script of the last version before the books. */
export async function recordUsage(redis: Redis, event: UsageEvent, logEntries = 1_000_000): Promise<void> {
  const day = event.time.slice(0, 10);
  const names = ["logged", "totals", "usage-log", "usage-requests"].map(
    (kind) => `${kind}:{s${shardOf(event.accountId)}}:${event.accountId}:${day}`,
  );
  const units = unitEntries(event.units)
    .filter(([unit]) => unit !== "requests")
    .flatMap(([unit, amount]) =>
      unit === "seconds" ? ["milliseconds", String(amount * 1_000)] : [unit, String(amount)],
    );
  await redis.eval(
    script,
    names.length,
    ...names,
    event.id,
    JSON.stringify(event),
    400 * 86_400,
    logEntries,
    [event.tokenId, event.model, event.channelId, ""].join(fieldBreak),
    event.requestId + fieldBreak,
    "calls",
    "1",
    "costNanos",
    event.costNanos,
    ...units,
  );
}
