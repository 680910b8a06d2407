import { sql, type Selectable } from "kysely";
import type { Alert } from "@modelgate/contracts";
import type { Books } from "../open.ts";
import type { AlertDeliveriesTable } from "../schema.ts";
import { alertFromRow } from "./alerts.ts";
import { targetFromRow, type EncryptedTarget } from "./alert-targets.ts";

const hourMs = 3_600_000;
/** Age at which attempts end. */
const giveUpMs = 24 * hourMs;
/** Pauses after the first attempts, in ms. */
const pausesMs = [30_000, 120_000, 600_000, 1_800_000, hourMs] as const;
/** Maximum number of deliveries to one target per claim, so that a slow target does not delay others. */
const maxOfTarget = 5;
const maxErrorCharacters = 300;

/** A delivery that this ledger sends. */
export interface ClaimedDelivery extends EncryptedTarget {
  readonly alert: Alert;
  /** True if there is no further attempt. */
  readonly isLast: boolean;
}

type DueDelivery = Pick<Selectable<AlertDeliveriesTable>, "alert" | "since" | "target" | "tries">;

/**
 * Claims due deliveries for this ledger and schedules their next attempts. If the ledger dies, another one repeats
 * them.
 */
export async function claimDeliveries(
  { db }: Books,
  { nowMs, max }: { readonly nowMs: number; readonly max: number },
): Promise<readonly ClaimedDelivery[]> {
  const { rows: due } = await sql<DueDelivery>`
    select alert, target, tries, since
    from (
      select alert, target, tries, since, next, row_number() over (partition by target order by next, alert) as turn
      from alert_deliveries
      where state = 'pending' and next <= ${nowMs}
    ) as due
    where turn <= ${maxOfTarget}
    order by turn, next
    limit ${max}
  `.execute(db);
  const claimed: ClaimedDelivery[] = [];
  for (const { alert, target, tries, since } of due) {
    const next = nowMs + pauseAfter(tries);
    const [row] = await db
      .updateTable("alert_deliveries")
      .set({ next, tries: tries + 1 })
      .where("alert", "=", alert)
      .where("target", "=", target)
      .where("state", "=", "pending")
      // No row matches if another ledger has claimed the delivery.
      .where("tries", "=", tries)
      .where("next", "<=", nowMs)
      .returning("alert")
      .execute();
    if (row === undefined) continue;
    const [alertRow, targetRow] = await Promise.all([
      db.selectFrom("alerts").selectAll().where("id", "=", alert).executeTakeFirst(),
      db.selectFrom("alert_targets").selectAll().where("id", "=", target).executeTakeFirst(),
    ]);
    if (alertRow === undefined || targetRow === undefined) continue; // deleted in the meantime
    claimed.push({
      alert: alertFromRow(alertRow),
      target: targetFromRow(targetRow),
      sealed: targetRow.sealed,
      isLast: next - since > giveUpMs,
    });
  }
  return claimed;
}

function pauseAfter(tries: number): number {
  return pausesMs[tries] ?? hourMs;
}

/** Stores the result of an attempt. `error` is undefined if the delivery succeeded. */
export async function finishDelivery(
  { db }: Books,
  { alert, target, isLast }: Pick<ClaimedDelivery, "alert" | "target" | "isLast">,
  error: string | undefined,
): Promise<void> {
  const state = error === undefined ? "delivered" : isLast ? "dead" : "pending";
  await db
    .updateTable("alert_deliveries")
    .set({ state, error: (error ?? "").slice(0, maxErrorCharacters) })
    .where("alert", "=", alert.id)
    .where("target", "=", target.id)
    .where("state", "=", "pending")
    .execute();
}

/** Returns the time in Unix ms of the next due delivery, or undefined. */
export async function nextDeliveryDue({ db }: Books): Promise<number | undefined> {
  const row = await db
    .selectFrom("alert_deliveries")
    .select("next")
    .where("state", "=", "pending")
    .orderBy("next")
    .executeTakeFirst();
  return row?.next;
}

/**
 * Schedules those deliveries of an alert again that failed for good. `targetsOf` restricts them to targets of these
 * accounts. Returns their number.
 */
export async function retryDeliveries(
  { db }: Books,
  {
    alert,
    targetsOf,
    nowMs,
  }: { readonly alert: string; readonly targetsOf?: readonly string[] | undefined; readonly nowMs: number },
): Promise<number> {
  let query = db
    .updateTable("alert_deliveries")
    .set({ state: "pending", tries: 0, since: nowMs, next: nowMs })
    .where("alert", "=", alert)
    .where("state", "=", "dead");
  if (targetsOf !== undefined)
    query = query.where(
      sql<boolean>`target in (select id from alert_targets where account in (${sql.join(targetsOf)}))`,
    );
  return (await query.returning("target").execute()).length;
}
