import type { Transaction } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import { periodOf, totalsPeriods } from "./add-totals.ts";
import { tagsOf } from "./labels.ts";
import type { Books } from "./open.ts";
import type { Tables } from "./schema.ts";

/** Maximum number of tag values per account and day that are summed separately. Clients choose them freely. */
const maxPairs = 1_000;
const otherTag = "other";
/** Maximum number of cached days, of all accounts together. */
const maxCached = 500;

/** Tag values by tag name that are summed separately for an account and day. */
type CountedTags = Map<string, Set<string>>;

const countedTagsCache = new WeakMap<Books, Map<string, CountedTags>>();

/**
 * Returns the calls with limited tags: after `maxPairs` pairs of name and value, `other` replaces new ones. Concurrent
 * ledgers may exceed the maximum slightly.
 */
export async function limitTags(
  books: Books,
  transaction: Transaction<Tables>,
  events: readonly UsageEvent[],
): Promise<readonly UsageEvent[]> {
  const bounded: UsageEvent[] = [];
  for (const event of events) {
    const tags = tagsOf(event);
    if (tags.length === 0) {
      bounded.push(event);
      continue;
    }
    const counted = await readCountedTags(books, transaction, event);
    const pairs = tags.map(({ name, value }) => boundTag(counted, name.slice("tag:".length), value));
    bounded.push({ ...event, tags: Object.fromEntries(pairs) });
  }
  return bounded;
}

function boundTag(counted: CountedTags, name: string, value: string): readonly [name: string, value: string] {
  const values = counted.get(name);
  if (values?.has(value) === true) return [name, value];
  const pairs = [...counted.values()].reduce((sum, each) => sum + each.size, 0);
  if (pairs >= maxPairs) return [values === undefined ? otherTag : name, otherTag];
  if (values === undefined) counted.set(name, new Set([value]));
  else values.add(value);
  return [name, value];
}

async function readCountedTags(
  books: Books,
  transaction: Transaction<Tables>,
  { accountId: account, time }: UsageEvent,
): Promise<CountedTags> {
  const cache = countedTagsCache.get(books) ?? new Map<string, CountedTags>();
  countedTagsCache.set(books, cache);
  const period = periodOf(Date.parse(time), totalsPeriods.daily_tag_totals);
  const key = `${period} ${account}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const rows = await transaction
    .selectFrom("daily_tag_totals")
    .select(["name", "value"])
    .distinct()
    .where("account", "=", account)
    .where("period", "=", period)
    .execute();
  const counted: CountedTags = new Map();
  for (const { name, value } of rows) {
    const tag = name.slice("tag:".length);
    counted.set(tag, (counted.get(tag) ?? new Set()).add(value));
  }
  cache.set(key, counted);
  for (const oldest of cache.keys()) {
    if (cache.size <= maxCached) break;
    cache.delete(oldest);
  }
  return counted;
}
