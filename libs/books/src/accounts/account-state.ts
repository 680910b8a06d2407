import type { Books } from "../open.ts";
import { writeAudit } from "./audit.ts";

/** Name and state of an account in the books. */
export interface BookedState {
  readonly id: string;
  readonly name: string;
  /** True if calls of the account's keys are refused. */
  readonly disabled: boolean;
  readonly version: number;
}

/** Changes the name or the state of an account. Returns undefined if there is no such account. */
export async function changeAccount(
  { db }: Books,
  id: string,
  { name, disabled }: { readonly name?: string | undefined; readonly disabled?: boolean | undefined },
  actor: string,
): Promise<BookedState | undefined> {
  return db.transaction().execute(async (transaction) => {
    // Updates the row before reading it, because the update locks it.
    const [before] = await transaction
      .updateTable("accounts")
      .set(({ eb }) => ({ version: eb("version", "+", 1), projected: 0 }))
      .where("account", "=", id)
      .where("created", "<>", "")
      .returning(["account", "name", "disabled", "version"])
      .execute();
    if (before === undefined) return undefined;
    const old = stateFromRow(before);
    const changed = { ...old, name: name ?? old.name, disabled: disabled ?? old.disabled };
    const columns = { name: changed.name, disabled: changed.disabled ? 1 : 0 };
    await transaction.updateTable("accounts").set(columns).where("account", "=", id).execute();
    await writeAudit(transaction, {
      account: id,
      time: new Date().toISOString(),
      actor,
      action: "account.set",
      before: { name: old.name, disabled: old.disabled },
      after: { name: changed.name, disabled: changed.disabled },
    });
    return changed;
  });
}

/** Converts a row of `accounts`. The id replaces a missing name. */
export function stateFromRow({ account, name, disabled, version }: StateRow): BookedState {
  return { id: account, name: name === "" ? account : name, disabled: disabled !== 0, version };
}

/** Columns of the state of an account. */
export interface StateRow {
  readonly account: string;
  readonly name: string;
  readonly disabled: number;
  readonly version: number;
}
