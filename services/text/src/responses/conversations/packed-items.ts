import { promisify } from "node:util";
import { zstdCompress } from "node:zlib";
import { unlimitedJson, checkJson, renderJson } from "@modelgate/relay";
import type { JsonObject } from "@modelgate/wires/text";
import type { RecordCipher } from "../record-cipher.ts";

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
  const record = cipher.encrypt(await compress(text), list).toString("base64");
  return { record, sizes: await sizesOf(text) };
}

/** Decrypts a record. Returns the compressed item; undefined if no accepted secret decrypts it. */
export function decryptItem(cipher: RecordCipher, list: string, record: string): Buffer | undefined {
  return cipher.decrypt(Buffer.from(record, "base64"), list);
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
