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
  if (secrets.length === 1) return;
  for (const table of encryptedTables) {
    const rows = await replaceEncrypted(books, table, encryptedAgain(secrets, purposes[table]));
    if (rows > 0) log.info({ table, rows }, "encrypted again with MODELGATE_SECRET");
  }
}

/** Returns a function that encrypts again. It returns undefined for text that the secret in use can decrypt. */
function encryptedAgain(secrets: Secrets, purpose: string): (sealed: string, id: string) => string | undefined {
  const inUse = makeCipher([secrets[0]], purpose);
  const all = makeCipher(secrets, purpose);
  const decrypted = (cipher: typeof all, sealed: string, id: string): string | undefined => {
    try {
      return cipher.decrypt(sealed, id);
    } catch {
      return undefined;
    }
  };
  return (sealed, id) => {
    if (decrypted(inUse, sealed, id) !== undefined) return undefined;
    const text = decrypted(all, sealed, id);
    return text === undefined ? undefined : inUse.encrypt(text, id);
  };
}
