import { sql, type Kysely, type RawBuilder } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import type { Tables } from "./schema.ts";

/** Position of a call in the order of pages. A page can start after it. */
export interface CallPosition {
  readonly at: number;
  readonly account: string;
  readonly id: string;
}

/** Returns the name of a call, which is unique: ids are unique within an account only. */
export function callName(account: string, id: string): string {
  return `${account}\n${id}`;
}

/**
 * Returns events in the order of their calls' names. Rows are locked in this order, so that ledgers do not deadlock.
 */
export function orderByName(events: readonly UsageEvent[]): readonly UsageEvent[] {
  return events.toSorted((left, right) =>
    callName(left.accountId, left.id) < callName(right.accountId, right.id) ? -1 : 1,
  );
}

/** A stored call: its position and its usage event. */
export interface StoredCall extends CallPosition {
  /** JSON of the usage event, as it was received. */
  readonly event: string;
}

/**
 * Reads the calls at these positions that meet further conditions, in any order. The query contains the range of their
 * times, so that PostgreSQL reads no other partitions.
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
