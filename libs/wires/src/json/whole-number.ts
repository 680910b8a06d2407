import { Failure } from "@modelgate/contracts";

/** What a number in a query may be. */
export interface NumberBounds {
  /** Where the query says nothing. */
  readonly fallback: number;
  readonly most: number;
  /** 1 where absent. */
  readonly least?: number;
}

/** A whole number of a query, in plain digits. Throws Failure invalid_value (400) naming the parameter. */
export function wholeNumberIn(
  query: URLSearchParams,
  param: string,
  { fallback, most, least = 1 }: NumberBounds,
): number {
  const text = query.get(param);
  if (text === null || text === "") return fallback;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value) || value < least || value > most)
    throw new Failure("invalid_value", `${param} must be a whole number from ${least} to ${most}.`, { param });
  return value;
}
