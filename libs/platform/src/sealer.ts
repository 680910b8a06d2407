import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from "node:crypto";
import type { Secrets } from "./secrets.ts";

const algorithm = "aes-256-gcm";
const [nonceBytes, tagBytes] = [12, 16];

/** Seals what leaves the process; each is bound to the context that it belongs to, such as whose key it is. */
export interface Sealer {
  /** A text, as another in Base64. */
  seal(text: string, context: string): string;
  /** Throws where the text was sealed with a secret that is not accepted, for another context, or was changed. */
  open(sealed: string, context: string): string;
  sealBytes(bytes: Buffer, context: string): Buffer;
  /** Throws as `open` does. */
  openBytes(sealed: Buffer, context: string): Buffer;
}

/**
 * AES-256-GCM under keys derived from the secrets by HKDF-SHA256, one for each purpose: what is sealed for one purpose
 * cannot be opened for another. The secret in use seals; every accepted one opens.
 */
export function openSealer(secrets: Secrets, purpose: string): Sealer {
  // A key as an object: with one as bytes, each seal would take 17 µs more.
  const derive = (secret: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", purpose, 32)));
  const inUse = derive(secrets[0]);
  const keys = [inUse, ...secrets.slice(1).map(derive)];
  function sealBytes(bytes: Buffer, context: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, inUse, nonce).setAAD(Buffer.from(context));
    const body = [cipher.update(bytes), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...body]);
  }
  function openBytes(sealed: Buffer, context: string): Buffer {
    let failure: unknown;
    for (const key of keys) {
      try {
        return decrypt(sealed, key, context);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
  return {
    seal: (text, context) => sealBytes(Buffer.from(text), context).toString("base64url"),
    open: (sealed, context) => openBytes(Buffer.from(sealed, "base64url"), context).toString("utf8"),
    sealBytes,
    openBytes,
  };
}

function decrypt(bytes: Buffer, key: KeyObject, context: string): Buffer {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
