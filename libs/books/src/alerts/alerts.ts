import { randomBytes } from "node:crypto";
import { sql, type Selectable, type Transaction } from "kysely";
import { organisationOfScope, type Alert, type AlertKind, type AlertTarget } from "@modelgate/contracts";
import { readAccountsOfOrganisation } from "../accounts/organisation-budgets.ts";
import type { Books } from "../open.ts";
import type { AlertsTable, Tables } from "../schema.ts";
import { targetFromRow } from "./alert-targets.ts";

/** An alert that is not in the books yet. */
export interface NewAlert extends Omit<Alert, "id" | "time" | "kind"> {
  readonly kind: AlertKind;
  /** True if the alert is about a condition that lasts. While it lasts, no second alert about it is stored. */
  readonly isLasting?: boolean;
}

/** Stores alerts and their deliveries. Skips alerts that are already stored, and returns the others. */
export async function recordAlerts({ db }: Books, alerts: readonly NewAlert[]): Promise<readonly Alert[]> {
  if (alerts.length === 0) return [];
  return db.transaction().execute((transaction) => insertAlerts(transaction, alerts, Date.now()));
}

async function insertAlerts(
  transaction: Transaction<Tables>,
  alerts: readonly NewAlert[],
  now: number,
): Promise<readonly Alert[]> {
  const stored: Alert[] = [];
  // One order for all ledgers, to avoid deadlocks.
  for (const { isLasting, details, ...alert } of alerts.toSorted((one, other) =>
    keyOf(one) < keyOf(other) ? -1 : 1,
  )) {
    const id = `alt_${randomBytes(9).toString("base64url")}`;
    const inserted = await transaction
      .insertInto("alerts")
      .values({
        ...alert,
        summary: alert.summary.replaceAll("\0", "\uFFFD"),
        id,
        at: now,
        details: JSON.stringify(details),
        open: isLasting === true ? 1 : 0,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .execute();
    if (inserted.length > 0) stored.push({ ...alert, id, details, time: new Date(now).toISOString() });
  }
  if (stored.length === 0) return stored;
  const targets = (await transaction.selectFrom("alert_targets").selectAll().execute()).map(targetFromRow);
  for (const alert of stored) {
    const organisation = organisationOfScope(alert.account);
    const concernedAccounts =
      organisation === undefined ? [alert.account] : await readAccountsOfOrganisation(transaction, organisation);
    for (const target of targets.filter((each) => receivesAlert(each, alert, concernedAccounts)))
      await transaction
        .insertInto("alert_deliveries")
        .values({ alert: alert.id, target: target.id, since: now, next: now, tries: 0, state: "pending", error: "" })
        .execute();
  }
  return stored;
}

/**
 * Reads the periods of stored alerts of this account, kind and subject. Only periods that begin with `prefix` are read.
 */
export async function readAlertPeriods(
  { db }: Books,
  { account, kind, subject }: Pick<NewAlert, "account" | "kind" | "subject">,
  prefix: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("alerts")
    .select("period")
    .where("account", "=", account)
    .where("kind", "=", kind)
    .where("subject", "=", subject)
    .where(sql<string>`substr(period, 1, ${sql.lit(prefix.length)})`, "=", prefix)
    .execute();
  return rows.map(({ period }) => period);
}

function keyOf({ account, kind, subject, period }: NewAlert): string {
  return [account, kind, subject, period].join("\n");
}

/**
 * Returns whether a target receives an alert. A member's target gets no alerts of the organisation, because members
 * must not see the spending of other accounts.
 */
function receivesAlert(target: AlertTarget, { account, kind }: Alert, concernedAccounts: readonly string[]): boolean {
  const { account: own, alerts, addedByMember = false } = target;
  if (addedByMember && organisationOfScope(account) !== undefined) return false;
  return (
    (own === "" || concernedAccounts.includes(own)) && (alerts === undefined || alerts.some((each) => each === kind))
  );
}

/** Reads alerts of these kinds whose condition lasts. */
export async function readOpenAlerts({ db }: Books, kinds: readonly AlertKind[]): Promise<readonly Alert[]> {
  const rows = await db.selectFrom("alerts").selectAll().where("open", "=", 1).where("kind", "in", kinds).execute();
  return rows.map(alertFromRow);
}

/**
 * Records that the condition of an alert has ended, and stores the alert `ended`. Returns the stored alerts: none if
 * another ledger was faster.
 */
export async function endAlert({ db }: Books, id: string, ended: NewAlert): Promise<readonly Alert[]> {
  return db.transaction().execute(async (transaction) => {
    const [row] = await transaction
      .updateTable("alerts")
      .set({ open: 0 })
      .where("id", "=", id)
      .where("open", "=", 1)
      .returning("id")
      .execute();
    return row === undefined ? [] : insertAlerts(transaction, [ended], Date.now());
  });
}

/**
 * Deletes alerts before a Unix time in ms. Keeps alerts whose condition lasts. Keeps alerts about budgets with the
 * period `total`, because each must be sent only once.
 */
export async function deleteOldAlerts({ db }: Books, before: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // An earlier ledger may have stored a former kind during an upgrade. No ledger records the end of such an alert.
    const old = sql`select id from alerts where at < ${before} and (open = 0 or kind = 'channel-resting')
      and period not like 'total/%'`;
    await sql`delete from alert_deliveries where alert in (${old})`.execute(transaction);
    await sql`delete from alerts where id in (${old})`.execute(transaction);
  });
}

/** Converts a row of `alerts`. */
export function alertFromRow({ at, open: _lasts, details, ...row }: Selectable<AlertsTable>): Alert {
  // `recordAlerts` writes these members.
  // oxlint-disable-next-line typescript/no-unsafe-assignment
  const values: Alert["details"] = JSON.parse(details);
  return { ...row, time: new Date(at).toISOString(), details: values };
}
