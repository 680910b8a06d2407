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
import { makeCipher, type Cipher, type Logger, type Secrets } from "@modelgate/platform";

/** Purposes of the ciphers, by table. */
const purposes: Readonly<Record<EncryptedTable, string>> = {
  vendor_keys: storedVendorKeysPurpose,
  alert_targets: alertTargetPurpose,
};

/**
 * Encrypts vendor keys and alert targets, and signs anchors, with the secret in use if the other accepted secret has
 * encrypted or signed them. Without this, they would be lost at the end of a rotation, when the other secret is no
 * longer accepted. A log line says if some are not readable without it.
 */
export async function encryptAgain(books: Books, secrets: Secrets, signer: AnchorSigner, log: Logger): Promise<void> {
  if (secrets.every((secret) => secret === secrets[0])) return;
  const rows: Record<string, Replacement> = {};
  for (const table of encryptedTables) rows[table] = await encryptTable(books, table, secrets);
  rows["anchors"] = await signAnchorsAgain(books, signer);
  if (Object.values(rows).some(({ remaining }) => remaining > 0))
    log.warn({ rows }, "MODELGATE_SECRET alone does not read all vendor keys, alert targets and anchors");
  else log.info({ rows }, "MODELGATE_SECRET alone reads all vendor keys, alert targets and anchors");
}

async function encryptTable(books: Books, table: EncryptedTable, secrets: Secrets): Promise<Replacement> {
  const current = makeCipher([secrets[0]], purposes[table]);
  const accepted = makeCipher(secrets, purposes[table]);
  return replaceEncrypted(books, table, (sealed, id) => {
    if (decrypt(current, sealed, id) !== undefined) return sealed;
    const text = decrypt(accepted, sealed, id);
    return text === undefined ? undefined : current.encrypt(text, id);
  });
}

function decrypt(cipher: Cipher, sealed: string, id: string): string | undefined {
  try {
    return cipher.decrypt(sealed, id);
  } catch {
    return undefined;
  }
}
