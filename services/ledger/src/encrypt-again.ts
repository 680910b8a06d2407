import { encryptedTables, replaceEncrypted, type Books, type EncryptedTable } from "@modelgate/books";
import { alertTargetPurpose, storedVendorKeysPurpose } from "@modelgate/contracts";
import { makeCipher, type Logger, type Secrets } from "@modelgate/platform";

/** Purposes of the ciphers, by table. */
const purposes: Readonly<Record<EncryptedTable, string>> = {
  vendor_keys: storedVendorKeysPurpose,
  alert_targets: alertTargetPurpose,
};

/**
 * Encrypts vendor keys and alert targets with the secret in use if the other accepted secret has encrypted them.
 * Without this, they would be lost at the end of a rotation, when the other secret is no longer accepted.
 */
export async function encryptAgain(books: Books, secrets: Secrets, log: Logger): Promise<void> {
  const [inUse] = secrets;
  const [other, ...more] = secrets.filter((secret) => secret !== inUse);
  if (other === undefined) return;
  for (const table of encryptedTables) {
    const current = makeCipher([inUse], purposes[table]);
    const earlier = makeCipher([other, ...more], purposes[table]);
    const rows = await replaceEncrypted(books, table, (sealed, id) => {
      try {
        return current.encrypt(earlier.decrypt(sealed, id), id);
      } catch {
        return undefined; // encrypted with the secret in use, or with one that is not accepted
      }
    });
    if (rows > 0) log.info({ table, rows }, "encrypted again with MODELGATE_SECRET");
  }
}
