import { shardOf } from "@modelgate/accounts";
import { addMovedTotals, isRecordable, measuresOf, recordCalls, type Books, type MovedTotal } from "@modelgate/books";
import { readUsageEvent, UnknownShape, type UsageEvent } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";

/** Usage of an account on one day, stored in Redis by versions without books. */
export interface UsageDay {
  readonly account: string;
  /** Date in UTC, for example 2026-01-31. */
  readonly date: string;
}

/** Prefixes of a day's keys: totals (hash), log (stream), entries by request (sorted set), ids (set). */
const keyPrefixes = ["totals", "usage-log", "usage-requests", "logged"] as const;

/** Pattern that matches the keys of all days, and few others. */
export const dayKeyGlob = "*:{s*}:*:*-*-*";

/** Separator between the parts of a field of totals: token, model, channel, measure. */
const fieldBreak = "\u001f";
const eventsAtOnce = 500;

const dayKeyPattern = new RegExp(`^(?:${keyPrefixes.join("|")}):\\{s\\d\\d\\}:(.+):(\\d{4}-\\d\\d-\\d\\d)$`);

/** Returns the day of a key; undefined for other keys. */
export function usageDayOfKey(key: string): UsageDay | undefined {
  const [, account, date] = dayKeyPattern.exec(key) ?? [];
  return account === undefined || date === undefined || Number.isNaN(Date.parse(date)) ? undefined : { account, date };
}

/**
 * Moves a day into the books and removes it from Redis. The move can be repeated: calls are recorded once, other totals
 * are added once, and all keys are removed at the end.
 */
export async function moveDay(redis: Redis, books: Books, { account, date }: UsageDay): Promise<void> {
  const [totals = "", log = "", ...others] = keyPrefixes.map(
    (kind) => `${kind}:{s${shardOf(account)}}:${account}:${date}`,
  );
  const unmovedTotals = totalsByKey(await redis.hgetall(totals));
  for (let after = "-"; ;) {
    const entries = await redis.xrange(log, after, "+", "COUNT", eventsAtOnce);
    const events = entries.flatMap(([, fields]) => readEvents(fields[1] ?? "")).filter(isRecordable);
    await recordCalls(books, events);
    for (const event of events) subtractEvent(unmovedTotals, event);
    const last = entries.at(-1);
    if (last === undefined || entries.length < eventsAtOnce) break;
    after = `(${last[0]}`;
  }
  const parts = [...unmovedTotals.values()].filter(({ sums }) => (sums.get("calls") ?? 0n) > 0n);
  if (parts.length > 0) await addMovedTotals(books, account, Date.parse(date), parts);
  await redis.del(totals, log, ...others);
}

/** Reads a log entry. An unreadable entry is ignored, so its amounts remain in the totals. */
function readEvents(text: string): readonly UsageEvent[] {
  try {
    return [readUsageEvent(text)];
  } catch (error) {
    if (error instanceof UnknownShape) return [];
    throw error;
  }
}

type TotalsByKey = Map<string, MovedTotal & { readonly sums: Map<string, bigint> }>;

function totalsByKey(fields: Readonly<Record<string, string>>): TotalsByKey {
  const parts: TotalsByKey = new Map();
  for (const [field, amount] of Object.entries(fields)) {
    const [token = "", model = "", channel = "", measure = ""] = field.split(fieldBreak);
    const key = totalsKey(token, model, channel);
    const part = parts.get(key) ?? { token, model, channel, sums: new Map<string, bigint>() };
    part.sums.set(measure, BigInt(amount));
    parts.set(key, part);
  }
  return parts;
}

/** Subtracts a recorded call from the totals. */
function subtractEvent(parts: TotalsByKey, event: UsageEvent): void {
  const sums = parts.get(totalsKey(event.tokenId, event.model, event.channelId))?.sums;
  if (sums === undefined) return;
  for (const [name, amount] of [["calls", 1n], ["costNanos", BigInt(event.costNanos)], ...measuresOf(event)] as const)
    sums.set(name, (sums.get(name) ?? 0n) - amount);
}

function totalsKey(...parts: readonly string[]): string {
  return parts.join(fieldBreak);
}
