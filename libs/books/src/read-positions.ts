import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Tables } from "./schema.ts";

/** Position of a call in the log: a reading continues after it. */
export interface CallPosition {
  readonly at: number;
  readonly account: string;
  readonly id: string;
}

/** A stored call. */
export interface StoredCall extends CallPosition {
  /** The usage event as it was received. */
  readonly event: string;
}

/**
 * Reads the calls at these positions that meet further conditions, without an order. The query names their days, so
 * that no other partition is read.
 */
export async function eventsAt(
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
