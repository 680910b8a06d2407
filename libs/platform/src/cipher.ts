import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from "node:crypto";
import type { Secrets } from "./secrets.ts";

const algorithm = "aes-256-gcm";
const [nonceBytes, tagBytes] = [12, 16];

/**
 * Encrypts and decrypts data. A ciphertext can be decrypted only with the context that it was encrypted with, for
 * example the owner of a key.
 */
export interface Cipher {
  /** Returns the ciphertext in base64url. */
  encrypt(text: string, context: string): string;
  /** Throws if the text was changed, or encrypted for another context or with an unknown secret. */
  decrypt(encrypted: string, context: string): string;
  /**
   * Encrypts a ciphertext of `encrypt` with the current secret. Returns it unchanged if this secret has encrypted it.
   * Throws as `decrypt` does.
   */
  encryptAgain(encrypted: string, context: string): string;
  encryptBytes(bytes: Buffer, context: string): Buffer;
  /** Throws as `decrypt` does. */
  decryptBytes(encrypted: Buffer, context: string): Buffer;
}

/**
 * Creates a cipher: AES-256-GCM with a key that is derived from a secret and the purpose by HKDF-SHA256. The first
 * secret encrypts; all secrets decrypt.
 */
export function makeCipher(secrets: Secrets, purpose: string): Cipher {
  // A KeyObject saves 17 µs per encryption compared to a key as bytes.
  const derive = (secret: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", purpose, 32)));
  const current = derive(secrets[0]);
  const keys = [current, ...secrets.slice(1).map(derive)];
  function encryptBytes(bytes: Buffer, context: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, current, nonce).setAAD(Buffer.from(context));
    const body = [cipher.update(bytes), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...body]);
  }
  function decryptWithKeys(
    encrypted: Buffer,
    context: string,
  ): { readonly bytes: Buffer; readonly isCurrent: boolean } {
    let failure: unknown;
    for (const key of keys) {
      try {
        return { bytes: decryptWithKey(encrypted, key, context), isCurrent: key === current };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
  const decryptText = (encrypted: string, context: string) =>
    decryptWithKeys(Buffer.from(encrypted, "base64url"), context);
  return {
    encrypt: (text, context) => encryptBytes(Buffer.from(text), context).toString("base64url"),
    decrypt: (encrypted, context) => decryptText(encrypted, context).bytes.toString("utf8"),
    encryptAgain(encrypted, context) {
      const { bytes, isCurrent } = decryptText(encrypted, context);
      return isCurrent ? encrypted : encryptBytes(bytes, context).toString("base64url");
    },
    encryptBytes,
    decryptBytes: (encrypted, context) => decryptWithKeys(encrypted, context).bytes,
  };
}

function decryptWithKey(bytes: Buffer, key: KeyObject, context: string): Buffer {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
