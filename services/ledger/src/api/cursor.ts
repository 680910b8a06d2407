import { Failure } from "@modelgate/contracts";

/** Position in a log sorted by time, account and id. */
export interface LogPosition {
  readonly at: number;
  readonly account: string;
  readonly id: string;
}

/** Encodes a position as the `next` member of a page. */
export function encodeCursor({ at, account, id }: LogPosition): string {
  return Buffer.from(JSON.stringify([at, account, id])).toString("base64url");
}

/** Decodes the `after` parameter of a query. Throws Failure if it is invalid. */
export function readPosition(query: URLSearchParams): LogPosition | undefined {
  const cursor = query.get("after");
  if (cursor === null) return undefined;
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const parts: readonly unknown[] = Array.isArray(position) ? position : [];
    const [at, account, id] = parts;
    if (typeof at === "number" && Number.isSafeInteger(at) && typeof account === "string" && typeof id === "string")
      return { at, account, id };
  } catch {
    // Reported below.
  }
  throw new Failure("invalid_value", "after must be the `next` value of a previous page.", { param: "after" });
}

/** Reads the `limit` parameter. Throws Failure unless it is a whole number from 1 to `max`. */
export function readLimit(query: URLSearchParams, fallback: number, max: number): number {
  const limit = Number(query.get("limit") ?? fallback);
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new Failure("invalid_value", `limit must be a whole number from 1 to ${max}.`, { param: "limit" });
}
