import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Secrets } from "./secrets.ts";

const algorithm = "aes-256-gcm";
const [nonceBytes, tagBytes] = [12, 16];

/** Seals texts that leave the process; each is bound to the context that it belongs to, such as whose key it is. */
export interface Sealer {
  seal(text: string, context: string): string;
  /** Throws where the text was sealed with a secret that is not accepted, for another context, or was changed. */
  open(sealed: string, context: string): string;
}

/**
 * AES-256-GCM under keys derived from the secrets by HKDF-SHA256, one for each purpose: what is sealed for one purpose
 * cannot be opened for another. The secret in use seals; every accepted one opens.
 */
export function openSealer(secrets: Secrets, purpose: string): Sealer {
  const derive = (secret: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
  const inUse = derive(secrets[0]);
  const keys = [inUse, ...secrets.slice(1).map(derive)];
  return {
    seal(text, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, inUse, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, "base64url");
      let failure: unknown;
      for (const key of keys) {
        try {
          return decrypt(bytes, key, context);
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    },
  };
}

function decrypt(bytes: Buffer, key: Buffer, context: string): string {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString("utf8");
}
