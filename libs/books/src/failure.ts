import { DatabaseError } from "pg";
import { UnknownShape } from "@modelgate/contracts";

/** Error codes of an unavailable server: of sockets, DNS and PostgreSQL. */
const unavailableCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "53300", // too many connections
  "57P01", // shut down by its administrator
  "57P02", // crashed
  "57P03", // starting up
]);
/** SQLite's result codes "busy" and "locked". */
const busyCodes: ReadonlySet<number> = new Set([5, 6]);

/** Returns whether the books are unavailable or locked, so that a later attempt may succeed. */
export function isUnavailable(error: unknown): boolean {
  const [code, primary] = [codeOf(error), primaryCodeOf(error)];
  if ((code !== undefined && unavailableCodes.has(code)) || (primary !== undefined && busyCodes.has(primary)))
    return true;
  // The client library's connection errors have no code.
  return (
    error instanceof Error &&
    /timeout exceeded when trying to connect|Connection terminated|has encountered a connection error/.test(
      error.message,
    )
  );
}

/** Returns whether PostgreSQL has ended a statement because it ran for too long. */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === "57014";
}

/** Classes of PostgreSQL's error codes for invalid values. */
const valueClasses: ReadonlySet<string> = new Set(["22", "23", "54"]);
/** SQLite's result codes for invalid values: too big, constraint, mismatch, range. */
const valueCodes: ReadonlySet<number> = new Set([18, 19, 20, 25]);

/** Returns whether the data is invalid, so that every later attempt would fail too. Other errors may be temporary. */
export function isInvalidData(error: unknown): boolean {
  const [code, primary] = [codeOf(error), primaryCodeOf(error)];
  if (primary !== undefined) return valueCodes.has(primary);
  if (error instanceof DatabaseError) return valueClasses.has(code?.slice(0, 2) ?? "");
  return [RangeError, SyntaxError, TypeError, UnknownShape].some((kind) => error instanceof kind);
}

/** Describes a database error in one line. */
export function describeError(error: unknown): string {
  const description = codeDescriptions[codeOf(error) ?? ""] ?? sqliteDescriptions[primaryCodeOf(error) ?? -1];
  const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  return description === undefined ? message : `${description} (${message})`;
}

const codeDescriptions: Readonly<Record<string, string>> = {
  "28P01": "user or password is wrong",
  "28000": "the user may not connect",
  "3D000": "the database does not exist: create it",
  "42501": "the user lacks rights: it must own the database's schema",
  "25006": "it is read-only: BOOKS_URL must name the primary",
  EACCES: "the file's folder is not writable",
  EROFS: "the file system is read-only",
  ENOTDIR: "the data folder is not a folder",
  EEXIST: "the data folder is not a folder",
};

const sqliteDescriptions: Readonly<Record<number, string>> = {
  8: "the file is read-only",
  11: "the file is damaged: restore a backup",
  13: "the disk is full",
  14: "the file cannot be opened",
  26: "the file is not a SQLite database",
};

function codeOf(error: unknown): string | undefined {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}

/** Returns SQLite's primary result code: the low byte of the extended code. */
function primaryCodeOf(error: unknown): number | undefined {
  return typeof error === "object" && error !== null && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : undefined;
}
