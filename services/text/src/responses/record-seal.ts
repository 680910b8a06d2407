import type { ContentBook } from "@modelgate/accounts";
import { openSealer, type Redis, type Secrets } from "@modelgate/platform";

/** Prefix of every encrypted record. Records of earlier versions are not encrypted and never have it. */
const mark = Buffer.from("mgr");

/** Encrypts client texts in Redis. Each record can be decrypted only under the Redis key that it was stored with. */
export interface RecordSeal {
  seal(record: Buffer, key: string): Buffer;
  /**
   * Decrypts a record. Returns undefined where no accepted secret decrypts it, and a record without encryption
   * unchanged.
   */
  open(record: Buffer, key: string): Buffer | undefined;
}

/** Redis of the records, the account's stored-bytes counter, and their encryption. */
export interface RecordStore {
  readonly redis: Redis;
  readonly book: ContentBook;
  readonly seal: RecordSeal;
}

/**
 * Encrypts with a key derived from MODELGATE_SECRET: every process with the secret can read the records, and Redis
 * alone reveals nothing.
 */
export function openRecordSeal(secrets: Secrets): RecordSeal {
  const sealer = openSealer(secrets, "modelgate records");
  return {
    seal: (record, key) => Buffer.concat([mark, sealer.sealBytes(record, key)]),
    open(record, key) {
      if (!record.subarray(0, mark.length).equals(mark)) return record;
      try {
        return sealer.openBytes(record.subarray(mark.length), key);
      } catch {
        return undefined;
      }
    },
  };
}
