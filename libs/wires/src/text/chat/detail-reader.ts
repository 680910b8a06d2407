import type { JsonRecord } from "../../json/fields.ts";
import type { Seal } from "../hub/part.ts";
import { mostDetails, sealOfDetails } from "./seals.ts";

/** Characters of a vendor's details that are kept for its seal; beyond it there is no seal, as a part seals nothing. */
const mostKept = 8 * 2 ** 20;

/** Members of a detail that come in pieces. */
const grown = ["text", "summary", "data", "signature"] as const;

/** A vendor's own `reasoning_details` out of a stream, its pieces put together as they stand in a whole answer. */
export class DetailReader {
  #details: JsonRecord[] = [];
  #characters = 0;

  add(detail: JsonRecord): void {
    for (const name of grown) this.#characters += lengthOf(detail[name]);
    const last = this.#details.at(-1);
    if (last !== undefined && last["type"] === detail["type"] && last["index"] === detail["index"])
      this.#details[this.#details.length - 1] = joined(last, detail);
    else this.#details.push(detail);
  }

  /** The seal of the details so far, which are then forgotten. */
  take(): Seal | undefined {
    const fits = this.#characters <= mostKept && this.#details.length <= mostDetails;
    const seal = fits && this.#details.length > 0 ? sealOfDetails(this.#details) : undefined;
    this.#details = [];
    this.#characters = 0;
    return seal;
  }
}

function joined(last: JsonRecord, next: JsonRecord): JsonRecord {
  const said = Object.entries(next).filter(([, value]) => value !== null && value !== undefined);
  const whole = { ...last, ...Object.fromEntries(said) };
  for (const name of grown) {
    const [before, after] = [last[name], next[name]];
    if (typeof before === "string" && typeof after === "string") whole[name] = before + after;
  }
  return whole;
}

function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length : 0;
}
