import type { RecordedAction } from "@modelgate/contracts";
import { writeAudit } from "../accounts/audit.ts";
import type { Books } from "../open.ts";

/** Stored members of an operator or of an automation key. Secrets are hashed. */
export type OperatorRecord = Readonly<Record<string, unknown>>;

export interface BookedOperator {
  readonly name: string;
  readonly record: OperatorRecord;
}

/** An automation key in the books. */
export interface BookedOperatorKey {
  readonly id: string;
  readonly digest: string;
  readonly record: OperatorRecord;
}

/** Audit entry of a change of operators, without secrets and hashes. */
export interface OperatorAudit {
  readonly actor: string;
  readonly action: RecordedAction;
  readonly account: string;
  readonly after: unknown;
}

/** Stores a new operator. Returns false if an operator with this name exists. */
export async function bookOperator(
  { db }: Books,
  { name, record }: BookedOperator,
  audit: OperatorAudit,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const created = await transaction
      .insertInto("operators")
      .values({ name, record: JSON.stringify(record) })
      .onConflict((conflict) => conflict.doNothing())
      .returning("name")
      .execute();
    if (created.length > 0) await writeAudit(transaction, { ...audit, time: new Date().toISOString() });
    return created.length > 0;
  });
}

/** Changes members of an operator's record. Returns undefined if there is no such operator. */
export async function changeOperator(
  { db }: Books,
  { name, record }: BookedOperator,
  audit: OperatorAudit,
): Promise<BookedOperator | undefined> {
  return db.transaction().execute(async (transaction) => {
    // Updates the row before reading it, because the update locks it.
    const [row] = await transaction
      .updateTable("operators")
      .set({ name })
      .where("name", "=", name)
      .returning("record")
      .execute();
    if (row === undefined) return undefined;
    const changed = { ...parseOperatorRecord(row.record), ...record };
    await transaction
      .updateTable("operators")
      .set({ record: JSON.stringify(changed) })
      .where("name", "=", name)
      .execute();
    await writeAudit(transaction, { ...audit, time: new Date().toISOString() });
    return { name, record: changed };
  });
}

/** Reads an operator by name; undefined if it does not exist. */
export async function readOperator({ db }: Books, name: string): Promise<BookedOperator | undefined> {
  const row = await db.selectFrom("operators").selectAll().where("name", "=", name).executeTakeFirst();
  return row === undefined ? undefined : { name: row.name, record: parseOperatorRecord(row.record) };
}

/** Reads all operators, ordered by name. */
export async function listOperators({ db }: Books): Promise<readonly BookedOperator[]> {
  const rows = await db.selectFrom("operators").selectAll().orderBy("name").execute();
  return rows.map(({ name, record }) => ({ name, record: parseOperatorRecord(record) }));
}

/** Stores a new automation key. */
export async function bookOperatorKey(
  { db }: Books,
  { id, digest, record }: BookedOperatorKey,
  audit: OperatorAudit,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto("operator_keys")
      .values({ id, digest, record: JSON.stringify(record) })
      .execute();
    await writeAudit(transaction, { ...audit, time: new Date().toISOString() });
  });
}

/** Deletes an automation key. Returns false if there is no such key. */
export async function deleteOperatorKey({ db }: Books, id: string, audit: OperatorAudit): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const deleted = await transaction.deleteFrom("operator_keys").where("id", "=", id).returning("id").execute();
    if (deleted.length > 0) await writeAudit(transaction, { ...audit, time: new Date().toISOString() });
    return deleted.length > 0;
  });
}

/** Reads the automation key with this digest, or all. */
export async function readOperatorKeys({ db }: Books, digest?: string): Promise<readonly BookedOperatorKey[]> {
  const all = db.selectFrom("operator_keys").selectAll();
  const rows = await (digest === undefined ? all : all.where("digest", "=", digest)).orderBy("id").execute();
  return rows.map(({ record, ...row }) => ({ ...row, record: parseOperatorRecord(record) }));
}

function parseOperatorRecord(text: string): OperatorRecord {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? { ...value } : {};
}
