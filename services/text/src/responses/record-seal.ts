import type { ContentBook } from "@modelgate/accounts";
import { openSealer, type Redis, type Secrets } from "@modelgate/platform";

/** Prefix of every sealed record. Those of earlier versions, which are not sealed, never have it. */
const mark = Buffer.from("mgr");

/** Seals what Redis keeps of clients' texts; each record is bound to the key that it is kept under. */
export interface RecordSeal {
  seal(record: Buffer, key: string): Buffer;
  /** Undefined where no accepted secret opens it: it is as good as gone. A record that is not sealed is given as it is. */
  open(record: Buffer, key: string): Buffer | undefined;
}

/** Redis of the records, their account's book, and their seal. */
export interface RecordStore {
  readonly redis: Redis;
  readonly book: ContentBook;
  readonly seal: RecordSeal;
}

/** Seals under a key derived from MODELGATE_SECRET, so that every process with the secret reads it, and Redis alone shows nothing. */
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
