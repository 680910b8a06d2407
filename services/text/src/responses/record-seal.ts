import type { ContentBook } from "@modelgate/accounts";
import { openSealer, type Redis, type Secrets } from "@modelgate/platform";

/** Prefix of each encrypted record. Earlier versions stored records unencrypted and never with this prefix. */
const mark = Buffer.from("mgr");

/**
 * Encrypts the text of clients that is stored in Redis. A record can be decrypted only with the Redis key under which
 * it is stored.
 */
export interface RecordSeal {
  seal(record: Buffer, key: string): Buffer;
  /**
   * Decrypts a record; returns undefined if no accepted secret decrypts it. A record that is not encrypted is returned
   * unchanged.
   */
  open(record: Buffer, key: string): Buffer | undefined;
}

/** Redis for the records, the counters of stored bytes per account, and the encryption. */
export interface RecordStore {
  readonly redis: Redis;
  readonly book: ContentBook;
  readonly seal: RecordSeal;
}

/**
 * Opens the encryption, whose key is derived from MODELGATE_SECRET. All processes with that secret can read the
 * records; the contents of Redis alone reveal nothing.
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
