import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Seals and opens vendor keys with a key derived from MODELGATE_SECRET; a text is bound to the place it stands in. */
export interface Sealer {
  seal(text: string, place: string): string;
  /** Throws where the secret or the place is another one. */
  open(sealed: string, place: string): string;
}

/** Vendor keys travel through Redis only under this seal (AES-256-GCM, key by HKDF-SHA256). */
export function openSealer(secret: string): Sealer {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "modelgate vendor keys", 32));
  return {
    seal(text, place) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString("utf8");
    },
  };
}
