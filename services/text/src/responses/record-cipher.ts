import type { ContentQuota } from "@modelgate/accounts";
import { makeCipher, type Redis, type Secrets } from "@modelgate/platform";

/** Prefix of each encrypted record. Earlier versions stored records unencrypted and never with this prefix. */
const mark = Buffer.from("mgr");

/**
 * Encrypts the text of clients that is stored in Redis. The Redis key is authenticated with the record, so a record
 * that is copied to another key cannot be decrypted.
 */
export interface RecordCipher {
  encrypt(record: Buffer, key: string): Buffer;
  /**
   * Decrypts a record; returns undefined if no accepted secret decrypts it. A record that is not encrypted is returned
   * unchanged.
   */
  decrypt(record: Buffer, key: string): Buffer | undefined;
}

/** Redis for the records, the counters of stored bytes per account, and the encryption. */
export interface RecordStore {
  readonly redis: Redis;
  readonly book: ContentQuota;
  readonly cipher: RecordCipher;
}

/**
 * Creates the cipher, whose key is derived from MODELGATE_SECRET. All processes with that secret can read the records.
 * The contents of Redis alone do not reveal an encrypted record.
 */
export function makeRecordCipher(secrets: Secrets): RecordCipher {
  const cipher = makeCipher(secrets, "modelgate records");
  return {
    encrypt: (record, key) => Buffer.concat([mark, cipher.encryptBytes(record, key)]),
    decrypt(record, key) {
      if (!record.subarray(0, mark.length).equals(mark)) return record;
      try {
        return cipher.decryptBytes(record.subarray(mark.length), key);
      } catch {
        return undefined;
      }
    },
  };
}
