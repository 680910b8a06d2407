import { sql, type Kysely, type RawBuilder } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import type { Tables } from "./schema.ts";

/** Position of a call. A page can start after it. */
export interface CallPosition {
  readonly at: number;
  readonly account: string;
  readonly id: string;
}

/** Returns a unique name of a call. Ids are unique only within an account. */
export function callName(account: string, id: string): string {
  return `${account}\n${id}`;
}

/** Sorts events by the names of their calls. Rows are locked in this order to avoid deadlocks. */
export function sortByCallName(events: readonly UsageEvent[]): readonly UsageEvent[] {
  return events.toSorted((left, right) =>
    callName(left.accountId, left.id) < callName(right.accountId, right.id) ? -1 : 1,
  );
}

/** A stored call: its position and its usage event. */
export interface StoredCall extends CallPosition {
  /** JSON of the usage event, as received. */
  readonly event: string;
}

/**
 * Reads the calls at these positions that meet the conditions, in any order. The range of times lets PostgreSQL skip
 * partitions.
 */
export async function readCallsAt(
  db: Kysely<Tables>,
  positions: readonly CallPosition[],
  more: readonly RawBuilder<unknown>[] = [],
): Promise<readonly StoredCall[]> {
  if (positions.length === 0) return [];
  const times = positions.map(({ at }) => at);
  const page = positions.map(({ account, at, id }) => sql`(${account}, cast(${at} as bigint), ${id})`);
  const where = [sql`calls.at >= ${Math.min(...times)}`, sql`calls.at <= ${Math.max(...times)}`, ...more];
  const { rows } = await sql<StoredCall>`
    with page(account, at, id) as (values ${sql.join(page)})
    select calls.at, calls.account, calls.id, calls.event from page
    join calls on calls.account = page.account and calls.at = page.at and calls.id = page.id
    where ${sql.join(where, sql` and `)}`.execute(db);
  return rows;
}
