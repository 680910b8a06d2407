import { hkdfSync } from "node:crypto";
import type { ContentQuota } from "@modelgate/accounts";
import { makeCipher, type Redis, type Secrets } from "@modelgate/platform";

/** Prefix of each encrypted record. Earlier versions stored records unencrypted and never with this prefix. */
const prefix = Buffer.from("mgr");

/** Encrypts clients' data in Redis. A record that is copied to another Redis key cannot be decrypted. */
export interface RecordCipher {
  /** Identifies the secret that encrypts. */
  readonly secretId: string;
  encrypt(record: Buffer, key: string): Buffer;
  /** Returns undefined if no accepted secret decrypts the record. An unencrypted record is returned unchanged. */
  decrypt(record: Buffer, key: string): Buffer | undefined;
}

/** Dependencies for storing records. */
export interface RecordStore {
  readonly redis: Redis;
  readonly quota: ContentQuota;
  readonly cipher: RecordCipher;
}

/** Creates the cipher, whose key is derived from MODELGATE_SECRET. */
export function makeRecordCipher(secrets: Secrets): RecordCipher {
  const cipher = makeCipher(secrets, "modelgate records");
  return {
    secretId: Buffer.from(hkdfSync("sha256", secrets[0], "", "modelgate record secret", 8)).toString("hex"),
    encrypt: (record, key) => Buffer.concat([prefix, cipher.encryptBytes(record, key)]),
    decrypt(record, key) {
      if (!record.subarray(0, prefix.length).equals(prefix)) return record;
      try {
        return cipher.decryptBytes(record.subarray(prefix.length), key);
      } catch {
        return undefined;
      }
    },
  };
}
