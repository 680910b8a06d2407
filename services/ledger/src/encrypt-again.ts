import {
  encryptedTables,
  replaceEncrypted,
  signAnchorsAgain,
  type AnchorSigner,
  type Books,
  type EncryptedTable,
  type Replacement,
} from "@modelgate/books";
import { alertTargetPurpose, storedVendorKeysPurpose } from "@modelgate/contracts";
import { makeCipher, type Logger, type Secrets } from "@modelgate/platform";

/** Purpose of the cipher of each table, and the name of its rows in the log. */
const tables: Readonly<Record<EncryptedTable, { readonly purpose: string; readonly rows: string }>> = {
  vendor_keys: { purpose: storedVendorKeysPurpose, rows: "vendor keys" },
  alert_targets: { purpose: alertTargetPurpose, rows: "alert targets" },
};

/** A part of the maintenance. The other parts run even if it fails. */
export type MaintenanceStep = readonly [name: string, run: (books: Books) => Promise<unknown>];

/**
 * Returns the steps that encrypt vendor keys and alert targets, and sign anchors, with the current secret if the other
 * accepted secret has encrypted or signed them. Without this, they would be lost at the end of a rotation, when the
 * other secret is no longer accepted. Each step logs if some rows are not readable without the other secret. There are
 * no steps if only one secret is accepted.
 */
export function stepsOfRotation(secrets: Secrets, signer: AnchorSigner, log: Logger): readonly MaintenanceStep[] {
  if (secrets.every((secret) => secret === secrets[0])) return [];
  const logged = (rows: string, { replaced, unreadable, examples }: Replacement): void => {
    if (unreadable > 0)
      log.warn({ replaced, unreadable, examples }, `MODELGATE_SECRET alone does not read all ${rows}`);
    else log.info({ replaced }, `MODELGATE_SECRET alone reads all ${rows}`);
  };
  return [
    ...encryptedTables.map((table): MaintenanceStep => {
      const { rows } = tables[table];
      return [`encrypting ${rows} again`, async (books) => logged(rows, await encryptTable(books, table, secrets))];
    }),
    ["signing anchors again", async (books) => logged("anchors", await signAnchorsAgain(books, signer))],
  ];
}

async function encryptTable(books: Books, table: EncryptedTable, secrets: Secrets): Promise<Replacement> {
  const cipher = makeCipher(secrets, tables[table].purpose);
  return replaceEncrypted(books, table, (sealed, id) => {
    try {
      return cipher.encryptAgain(sealed, id);
    } catch {
      return undefined;
    }
  });
}
