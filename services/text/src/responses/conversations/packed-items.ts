import { promisify } from "node:util";
import { zstdCompress } from "node:zlib";
import { Failure } from "@modelgate/contracts";
import { unlimitedJson, checkJson, renderJson } from "@modelgate/relay";
import type { JsonObject } from "@modelgate/wires/text";
import type { RecordCipher } from "../record-cipher.ts";
import type { ConversationRecords } from "./conversation-limits.ts";

/** Sizes of items after decompression: bytes, values and object members. */
export interface ItemSizes {
  readonly textBytes: number;
  readonly values: number;
  readonly members: number;
}

export const noSizes: ItemSizes = { textBytes: 0, values: 0, members: 0 };

const compress = promisify(zstdCompress);

/** Compresses and encrypts an item. The record can be decrypted only with the Redis key `list`. */
export async function packItem(cipher: RecordCipher, list: string, item: JsonObject) {
  const text = await renderJson(item, Infinity);
  return { record: encryptItem(cipher, list, await compress(text)), sizes: await sizesOf(text) };
}

/** Encrypts a compressed item. Returns its record. */
export function encryptItem(cipher: RecordCipher, list: string, packed: Buffer): string {
  return cipher.encrypt(packed, list).toString("base64");
}

/** Decrypts a record. Returns the compressed item. Throws as `decryptStored` does. */
export function decryptItem(records: DecryptingRecords, list: string, record: string): Buffer {
  return decryptStored(records, Buffer.from(record, "base64"), list);
}

type DecryptingRecords = Pick<ConversationRecords, "cipher" | "log">;

/**
 * Decrypts a part of a conversation. Throws Failure conversation_not_found if no accepted secret decrypts it, and logs
 * the Redis key.
 */
export function decryptStored({ cipher, log }: DecryptingRecords, stored: Buffer, key: string): Buffer {
  const decrypted = cipher.decrypt(stored, key);
  if (decrypted !== undefined) return decrypted;
  log.warn({ key }, "a conversation is refused: no accepted secret decrypts it");
  throw new Failure(
    "conversation_not_found",
    "The conversation cannot be decrypted with a secret that this gateway accepts. Start a new conversation.",
  );
}

/** Returns the sizes of an item in JSON. */
export async function sizesOf(text: Buffer): Promise<ItemSizes> {
  return { textBytes: text.length, ...(await checkJson(text, unlimitedJson)) };
}

export function addSizes(left: ItemSizes, right: ItemSizes): ItemSizes {
  return {
    textBytes: left.textBytes + right.textBytes,
    values: left.values + right.values,
    members: left.members + right.members,
  };
}
