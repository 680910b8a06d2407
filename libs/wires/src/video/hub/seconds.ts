import { Failure } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import { leastSeconds, mostSeconds } from "./request.ts";

/** A length as clients write it: a number, or a number as text. Throws Failure invalid_value. */
export function readSeconds(fields: Fields, name: string): number | undefined {
  const value = fields.raw(name);
  if (value === undefined) return undefined;
  const seconds = typeof value === "string" && /^\d{1,4}(\.\d{1,3})?$/.test(value) ? Number(value) : value;
  if (typeof seconds === "number" && seconds >= leastSeconds && seconds <= mostSeconds) return seconds;
  throw fields.wrong(name, `a number of seconds, from ${leastSeconds} to ${mostSeconds}`);
}

/** The length, if it is one of those that a vendor makes. Throws Failure unsupported_parameter with them. */
export function secondsAmong(lengths: readonly number[], seconds: number): number {
  if (lengths.includes(seconds)) return seconds;
  throw new Failure(
    "unsupported_parameter",
    `seconds: the vendor of this model makes ${lengths.join(" or ")} s only.`,
    {
      param: "seconds",
    },
  );
}

/** The length, if it is a whole number that a vendor makes. Throws Failure unsupported_parameter with the bounds. */
export function secondsWithin([least, most]: readonly [number, number], seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= least && seconds <= most) return seconds;
  const say = `seconds: the vendor of this model makes whole seconds from ${least} to ${most} only.`;
  throw new Failure("unsupported_parameter", say, { param: "seconds" });
}
