import {
  type CreditEvent,
  type CreditKind,
  Failure,
  isActionName,
  type RecordedAction,
  UnknownShape,
} from "@modelgate/contracts";
import type { NewConfiguration, OperatorAudit } from "@modelgate/books";
import { readBudgets, readToken, type Budget, type Token } from "@modelgate/accounts";

/** Reads fields of control's requests. Each function throws Failure (400) for an invalid field. */
export const fieldReaders = {
  text(body: unknown, name: string): string {
    const value = memberOf(body, name);
    if (typeof value !== "string" || value === "") throw invalidField(name, "a text");
    return value;
  },
  nanos(body: unknown, name: string): bigint {
    const text = fieldReaders.text(body, name);
    if (!/^-?\d{1,19}$/.test(text)) throw invalidField(name, "nano-dollars");
    return BigInt(text);
  },
  optionalCount(body: unknown, name: string): number | undefined {
    const value = memberOf(body, name);
    if (value === undefined) return undefined;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
      throw invalidField(name, "a whole number");
    return value;
  },
  credit(body: unknown): CreditEvent {
    const kind = creditKinds.find((candidate) => candidate === memberOf(body, "kind"));
    if (kind === undefined) throw invalidField("kind", creditKinds.join(" or "));
    const [accountId, operationId] = [fieldReaders.text(body, "accountId"), fieldReaders.text(body, "operationId")];
    return {
      id: `${accountId}.${encodeURIComponent(operationId)}`,
      time: fieldReaders.text(body, "time"),
      accountId,
      operationId,
      kind,
      nanos: fieldReaders.nanos(body, "nanos").toString(),
      reason: fieldReaders.text(body, "reason"),
    };
  },
  digest(body: unknown): string {
    const digest = fieldReaders.text(body, "digest");
    if (!/^[0-9a-f]{64}$/.test(digest)) throw invalidField("digest", "a SHA-256 in hexadecimal");
    return digest;
  },
  token(body: unknown): Token {
    const value = memberOf(body, "token");
    if (typeof value !== "object" || value === null) throw invalidField("token", "an object");
    try {
      return readToken(JSON.stringify(value));
    } catch (error) {
      if (error instanceof UnknownShape) throw invalidField("token", "a token");
      throw error;
    }
  },
  budget(body: unknown, name: string): Budget {
    const [budget] = readBudgets(JSON.stringify([fieldReaders.object(body, name)]));
    if (budget === undefined) throw invalidField(name, "a budget");
    return budget;
  },
  /** Reads the changed fields of an API key. */
  change(body: unknown): Readonly<Record<string, unknown>> {
    const value = memberOf(body, "change");
    if (typeof value !== "object" || value === null) throw invalidField("change", "an object");
    const unknown = Object.keys(value).find((name) => !changeableFields.has(name));
    if (unknown !== undefined) throw invalidField("change", `without ${JSON.stringify(unknown.slice(0, 50))}`);
    return { ...value };
  },
  object(body: unknown, name: string): Readonly<Record<string, unknown>> {
    const value = memberOf(body, name);
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalidField(name, "an object");
    return { ...value };
  },
  /** Reads the name of an action. Only its form is checked, because a newer version of control may have added it. */
  action(body: unknown): RecordedAction {
    const action = fieldReaders.text(body, "action");
    if (!isActionName(action)) throw invalidField("action", "an action, such as token.set");
    return action;
  },
  /** Reads the audit entry of a change. */
  auditEntry(body: unknown): Pick<OperatorAudit, "action" | "account" | "after"> {
    const account = memberOf(body, "account");
    if (typeof account !== "string") throw invalidField("account", "a text");
    return { action: fieldReaders.action(body), account, after: memberOf(body, "after") };
  },
  configuration(body: unknown): NewConfiguration {
    const [note, basedOn, keys] = ["note", "basedOn", "keys"].map((name) => memberOf(body, name));
    if (typeof note !== "string") throw invalidField("note", "a text");
    if (typeof basedOn !== "number" || !Number.isInteger(basedOn)) throw invalidField("basedOn", "a version");
    if (!Array.isArray(keys)) throw invalidField("keys", "a list");
    const encryptedKeys = keys.map((key: unknown) => ({
      id: fieldReaders.text(key, "id"),
      sealed: fieldReaders.text(key, "sealed"),
    }));
    return { document: fieldReaders.text(body, "document"), note, basedOn, keys: encryptedKeys };
  },
} as const;

const creditKinds: readonly Exclude<CreditKind, "opening">[] = ["top-up", "correction"];
const changeableFields: ReadonlySet<string> = new Set([
  "name",
  "group",
  "models",
  "disabled",
  "expiresAt",
  "allowedAddresses",
  "budget",
  "rotateAfterDays",
  "ofMember",
  "within",
]);

function memberOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
}

function invalidField(name: string, expected: string): Failure {
  return new Failure("invalid_value", `${name} must be ${expected}.`, { param: name });
}
