import { maxAmount } from "@modelgate/accounts";
import {
  Failure,
  formatUsd,
  isAccountId,
  parseAddressRange,
  parseTime,
  parseUsd,
  type Nanos,
} from "@modelgate/contracts";

const maxItems = 500;
const maxAddresses = 100;

/** Reads fields of an operator's JSON. Each function throws Failure (400) for an invalid field. */
export const fields = {
  text(body: unknown, name: string): string {
    return fields.optionalText(body, name) ?? throwMissing(name);
  },
  optionalText(body: unknown, name: string): string | undefined {
    const value = memberOf(body, name);
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string" || value === "" || value.length > 500)
      throw invalidField(name, "must be a string of 1 to 500 characters");
    return requireStorable(value, name);
  },
  missing: throwMissing,
  longText(body: unknown, name: string): string {
    const value = memberOf(body, name);
    if (value === undefined || value === null) throwMissing(name);
    if (typeof value !== "string" || value.length > 1024 * 1024)
      throw invalidField(name, "must be a string of up to 1 MiB");
    return value;
  },
  value: memberOf,
  list(body: unknown, name: string): readonly unknown[] {
    const value = memberOf(body, name) ?? throwMissing(name);
    if (!Array.isArray(value) || value.length === 0 || value.length > maxItems)
      throw invalidField(name, `must be a list of 1 to ${maxItems} items`);
    return value;
  },
  optionalInteger(body: unknown, name: string): number | undefined {
    const value = memberOf(body, name);
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
      throw invalidField(name, "must be a whole number of 0 or more");
    return value;
  },
  /** Reads a number from 1 to `max`. Null removes the number. */
  optionalCount(body: unknown, name: string, max: number): number | null | undefined {
    const value = memberOf(body, name);
    if (value === undefined || value === null) return value;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1 || value > max)
      throw invalidField(name, `must be a whole number from 1 to ${max}`);
    return value;
  },
  optionalBoolean(body: unknown, name: string): boolean | undefined {
    const value = memberOf(body, name);
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "boolean") throw invalidField(name, "must be true or false");
    return value;
  },
  id(body: unknown, name: string): string {
    const value = fields.text(body, name);
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(value))
      throw invalidField(name, "must be letters, digits, `.`, `_` or `-`, at most 64");
    return value;
  },
  accountId(body: unknown, name: string): string {
    const value = fields.text(body, name);
    if (!isAccountId(value))
      throw invalidField(
        name,
        "must be letters, digits, `.`, `_` or `-`, with at most one `~` between them, at most 64",
      );
    return value;
  },
  operatorName(body: unknown, name: string): string {
    const value = fields.text(body, name);
    if (!/^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,99}$/u.test(value))
      throw invalidField(
        name,
        "must start with a letter or digit, and contain only letters, digits, spaces and . _ @ + -, at most 100",
      );
    return value;
  },
  /** Reads the name of a new operator. Refuses names with another meaning in the audit log. */
  newOperatorName(body: unknown, name: string): string {
    const value = fields.operatorName(body, name);
    if (/^(?:secret$|key )/i.test(value))
      throw invalidField(name, "must not be `secret`, and must not begin with `key `");
    return value;
  },
  /** Reads US dollars, which may be negative. Refuses more than `maxAmount`. */
  dollars(body: unknown, name: string): Nanos {
    const nanos = parseNanos(fields.text(body, name), name);
    if (nanos <= maxAmount && nanos >= -maxAmount) return nanos;
    throw invalidField(name, `must be at most ${formatUsd(maxAmount)} US dollars`);
  },
  optionalWord<const Word extends string>(body: unknown, name: string, words: readonly Word[]): Word | undefined {
    const value = fields.optionalText(body, name);
    if (value === undefined) return undefined;
    return (
      words.find((word) => word === value) ?? throwFailure(invalidField(name, `must be one of ${words.join(", ")}`))
    );
  },
  /** Reads a budget in US dollars, and returns nano-dollars. Null removes the budget. */
  optionalBudget(body: unknown, name: string): string | null | undefined {
    const value = memberOf(body, name);
    if (value === undefined || value === null) return value;
    const nanos = fields.dollars(body, name);
    return nanos < 0n ? throwFailure(invalidField(name, "must not be negative")) : nanos.toString();
  },
  optionalTexts(body: unknown, name: string): readonly string[] | undefined {
    const value = memberOf(body, name);
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value) || value.length === 0 || !value.every((item) => typeof item === "string"))
      throw invalidField(name, "must be a list of strings");
    return value.map((item: string) => requireStorable(item, name));
  },
  /** Reads IP addresses and CIDR ranges. Null removes the list. */
  optionalAddresses(body: unknown, name: string): readonly string[] | null | undefined {
    if (memberOf(body, name) === null) return null;
    const list = fields.optionalTexts(body, name);
    if (list === undefined) return undefined;
    if (list.length > maxAddresses) throw invalidField(name, `must have at most ${maxAddresses} items`);
    const invalidRange = list.find((range) => parseAddressRange(range) === undefined);
    if (invalidRange === undefined) return list;
    throw invalidField(
      name,
      `must be IP addresses or CIDR ranges as in 10.0.0.0/8: ${JSON.stringify(invalidRange.slice(0, 50))}`,
    );
  },
  optionalTime(body: unknown, name: string): string | undefined {
    const value = fields.optionalText(body, name);
    if (value === undefined) return undefined;
    const time = parseTime(value);
    if (time === undefined)
      throw invalidField(name, "must be a date, or a date and time with its zone: 2030-01-01T00:00:00Z");
    return new Date(time).toISOString();
  },
} as const;

/** Returns a text. Throws Failure if PostgreSQL cannot store it. */
function requireStorable(value: string, name: string): string {
  if (value.includes("\0") || !value.isWellFormed()) throw invalidField(name, "must be Unicode without U+0000");
  return value;
}

function parseNanos(written: string, name: string): Nanos {
  try {
    return parseUsd(written);
  } catch {
    throw invalidField(name, "must be US dollars as in 12.50, with at most nine decimal places");
  }
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
}

function throwFailure(error: Failure): never {
  throw error;
}

function throwMissing(name: string): never {
  throw new Failure("missing_required_parameter", `${name} is missing.`, { param: name });
}

/** Returns the failure for an invalid field. */
export function invalidField(name: string, message: string): Failure {
  return new Failure("invalid_value", `${name} ${message}.`, { param: name });
}
