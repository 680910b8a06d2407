import type { Transaction } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import { periodOf, totalsPeriods } from "./add-totals.ts";
import { tagsOf } from "./labels.ts";
import type { Books } from "./open.ts";
import type { Tables } from "./schema.ts";

/** Maximum pairs of a tag's name and value per account and day that have rows; clients choose both freely. */
const maxPairs = 1_000;
/** Value that replaces all names and values beyond the maximum. */
const other = "other";
/** Maximum pairs of account and day whose tags are kept in memory. */
const maxRemembered = 500;

/** Tag values that are already counted for an account and day, by tag name. */
type CountedTags = Map<string, Set<string>>;

const remembered = new WeakMap<Books, Map<string, CountedTags>>();

/**
 * Returns calls with the tags that they are counted under. If an account has reached `maxPairs` pairs that day, a new
 * value of a known name is replaced by `other`, and so is a new name. Concurrent ledgers may exceed the maximum
 * slightly.
 */
export async function boundTags(
  books: Books,
  at: Transaction<Tables>,
  events: readonly UsageEvent[],
): Promise<readonly UsageEvent[]> {
  const bounded: UsageEvent[] = [];
  for (const event of events) {
    const tags = tagsOf(event);
    if (tags.length === 0) {
      bounded.push(event);
      continue;
    }
    const counted = await countedOf(books, at, event);
    const pairs = tags.map(({ name, value }) => admitted(counted, name.slice("tag:".length), value));
    bounded.push({ ...event, tags: Object.fromEntries(pairs) });
  }
  return bounded;
}

function admitted(counted: CountedTags, name: string, value: string): readonly [name: string, value: string] {
  const values = counted.get(name);
  if (values?.has(value) === true) return [name, value];
  const pairs = [...counted.values()].reduce((sum, each) => sum + each.size, 0);
  if (pairs >= maxPairs) return [values === undefined ? other : name, other];
  if (values === undefined) counted.set(name, new Set([value]));
  else values.add(value);
  return [name, value];
}

async function countedOf(
  books: Books,
  at: Transaction<Tables>,
  { accountId: account, time }: UsageEvent,
): Promise<CountedTags> {
  const known = remembered.get(books) ?? new Map<string, CountedTags>();
  remembered.set(books, known);
  const period = periodOf(Date.parse(time), totalsPeriods.daily_tag_totals);
  const key = `${period} ${account}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const rows = await at
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
  known.set(key, counted);
  for (const oldest of known.keys()) {
    if (known.size <= maxRemembered) break;
    known.delete(oldest);
  }
  return counted;
}
