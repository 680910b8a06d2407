import type { Selectable } from "kysely";
import { AlertTarget, alertKinds, recordParser } from "@modelgate/contracts";
import { writeAudit } from "../accounts/audit.ts";
import type { Books } from "../open.ts";
import type { AlertTargetsTable } from "../schema.ts";

/** A target with its encrypted secret part. */
export interface EncryptedTarget {
  readonly target: AlertTarget;
  readonly sealed: string;
}

const readTarget = recordParser("alert target", AlertTarget, upgradeTarget);

/**
 * Converts a target that a ledger of another version stored during an upgrade, because no alert is stored while a
 * target cannot be read. Unknown kinds of alerts are left out.
 */
function upgradeTarget(target: unknown): unknown {
  if (typeof target !== "object" || target === null || !("alerts" in target)) return target;
  const { alerts } = target;
  if (!Array.isArray(alerts)) return target;
  const kinds = alerts.map((kind: unknown) => (kind === "channel-resting" ? "channel-cooldown" : kind));
  return { ...target, alerts: kinds.filter((kind) => alertKinds.some((known) => known === kind)) };
}

/** Stores a new target. The audit gets no secret part. */
export async function bookAlertTarget(
  { db }: Books,
  { target, sealed }: EncryptedTarget,
  actor: string,
): Promise<void> {
  const { id, account, kind, createdAt } = target;
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto("alert_targets")
      .values({ id, account, kind, at: Date.parse(createdAt), record: JSON.stringify(target), sealed })
      .execute();
    await writeAudit(transaction, { account, time: createdAt, actor, action: "alert-target.create", after: target });
  });
}

/** Deletes a target and its deliveries. Returns false if there is no target with this id. */
export async function deleteAlertTarget({ db }: Books, id: string, actor: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const [row] = await transaction.deleteFrom("alert_targets").where("id", "=", id).returningAll().execute();
    if (row === undefined) return false;
    await transaction.deleteFrom("alert_deliveries").where("target", "=", id).execute();
    const [before, time] = [targetFromRow(row), new Date().toISOString()];
    await writeAudit(transaction, { account: row.account, time, actor, action: "alert-target.delete", before });
    return true;
  });
}

/** Reads the targets of accounts, or all. The account "" stands for targets that receive alerts of every account. */
export async function readAlertTargets({ db }: Books, accounts?: readonly string[]): Promise<readonly AlertTarget[]> {
  let query = db.selectFrom("alert_targets").selectAll();
  if (accounts !== undefined) query = query.where("account", "in", accounts);
  return (await query.orderBy("at").orderBy("id").execute()).map(targetFromRow);
}

/** Reads a target with its encrypted secret part; undefined if it does not exist. */
export async function findAlertTarget({ db }: Books, id: string): Promise<EncryptedTarget | undefined> {
  const row = await db.selectFrom("alert_targets").selectAll().where("id", "=", id).executeTakeFirst();
  return row && { target: targetFromRow(row), sealed: row.sealed };
}

/** Converts a row of `alert_targets`. Throws UnknownShape if its JSON is invalid. */
export function targetFromRow({ record }: Pick<Selectable<AlertTargetsTable>, "record">): AlertTarget {
  return readTarget(record);
}
