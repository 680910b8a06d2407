import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { Failure } from "@modelgate/contracts";
import type { Holding } from "@modelgate/platform";
import { checkJson, reparseJson, type JsonLimits } from "@modelgate/relay";
import type { JsonObject } from "@modelgate/wires/text";

/** Limits on the total of all records that one request reads. */
export type RecordBounds = Pick<JsonLimits, "maxBytes" | "values" | "members">;

/** Part of the memory budget into which records are read. */
export type RecordMemory = Pick<Holding, "add">;

const decompress = promisify(zstdDecompress);

/** Decompresses the records that one request reads, and limits their total size. */
export class RecordReader {
  readonly #memory: RecordMemory;
  readonly #bounds: RecordBounds;
  #bytes = 0;
  #values = 0;
  #members = 0;

  constructor(memory: RecordMemory, bounds: RecordBounds) {
    this.#memory = memory;
    this.#bounds = bounds;
  }

  /** Decompresses a record and returns its JSON. Throws Failure (413, 429, 503) if it exceeds a limit. */
  async unpack(packed: Buffer): Promise<Buffer> {
    const { maxBytes } = this.#bounds;
    try {
      const json = await decompress(packed, { maxOutputLength: Math.max(1, maxBytes - this.#bytes) });
      this.#bytes += json.length;
      this.#memory.add(json.length);
      return json;
    } catch (error) {
      throw error instanceof RangeError ? tooLarge(`is larger than ${maxBytes} bytes`) : error;
    }
  }

  /** Decompresses and parses a record. Throws as `unpack` does. */
  async parse(packed: Buffer): Promise<JsonObject> {
    const json = await this.unpack(packed);
    await this.#count(json);
    return await reparseJson(json);
  }

  async #count(json: Buffer): Promise<void> {
    const { values, members } = this.#bounds;
    try {
      const remainingBounds = { depth: Infinity, values: values - this.#values, members: members - this.#members };
      const counted = await checkJson(json, remainingBounds);
      this.#values += counted.values;
      this.#members += counted.members;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw tooLarge(`has more than ${values} values or ${members} members of objects`);
    }
  }
}

function tooLarge(problem: string): Failure {
  return new Failure("request_too_large", `The whole conversation ${problem}; compact it.`);
}
