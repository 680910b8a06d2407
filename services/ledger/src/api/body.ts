import { type CreditEvent, type CreditKind, Failure, UnknownShape } from "@modelgate/contracts";
import type { NewConfiguration } from "@modelgate/books";
import { readToken, type Token } from "@modelgate/accounts";

/** Readers of fields in control's requests; each throws Failure (400) naming the field. */
export const bodies = {
  text(body: unknown, name: string): string {
    const value = memberOf(body, name);
    if (typeof value !== "string" || value === "") throw wrong(name, "a text");
    return value;
  },
  nanos(body: unknown, name: string): bigint {
    const text = bodies.text(body, name);
    if (!/^-?\d{1,19}$/.test(text)) throw wrong(name, "nano-dollars");
    return BigInt(text);
  },
  optionalCount(body: unknown, name: string): number | undefined {
    const value = memberOf(body, name);
    if (value === undefined) return undefined;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw wrong(name, "a whole number");
    return value;
  },
  credit(body: unknown): CreditEvent {
    const kind = kinds.find((known) => known === memberOf(body, "kind"));
    if (kind === undefined) throw wrong("kind", kinds.join(" or "));
    const [accountId, operationId] = [bodies.text(body, "accountId"), bodies.text(body, "operationId")];
    return {
      id: `${accountId}.${encodeURIComponent(operationId)}`,
      time: bodies.text(body, "time"),
      accountId,
      operationId,
      kind,
      nanos: bodies.nanos(body, "nanos").toString(),
      reason: bodies.text(body, "reason"),
    };
  },
  digest(body: unknown): string {
    const digest = bodies.text(body, "digest");
    if (!/^[0-9a-f]{64}$/.test(digest)) throw wrong("digest", "a SHA-256 in hexadecimal");
    return digest;
  },
  token(body: unknown): Token {
    const value = memberOf(body, "token");
    if (typeof value !== "object" || value === null) throw wrong("token", "an object");
    try {
      return readToken(JSON.stringify(value));
    } catch (error) {
      if (error instanceof UnknownShape) throw wrong("token", "a token");
      throw error;
    }
  },
  change(body: unknown): Readonly<Record<string, unknown>> {
    const value = memberOf(body, "change");
    if (typeof value !== "object" || value === null) throw wrong("change", "an object");
    const unknown = Object.keys(value).find((name) => !changeable.has(name));
    if (unknown !== undefined) throw wrong("change", `without ${JSON.stringify(unknown.slice(0, 50))}`);
    return { ...value };
  },
  object(body: unknown, name: string): Readonly<Record<string, unknown>> {
    const value = memberOf(body, name);
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(name, "an object");
    return { ...value };
  },
  /** Returns the audit entry of a change of operators. */
  act(body: unknown): { readonly action: string; readonly account: string; readonly after: unknown } {
    const account = memberOf(body, "account");
    if (typeof account !== "string") throw wrong("account", "a text");
    return { action: bodies.text(body, "action"), account, after: memberOf(body, "after") };
  },
  configuration(body: unknown): NewConfiguration {
    const [note, basedOn, keys] = ["note", "basedOn", "keys"].map((name) => memberOf(body, name));
    if (typeof note !== "string") throw wrong("note", "a text");
    if (typeof basedOn !== "number" || !Number.isInteger(basedOn)) throw wrong("basedOn", "a version");
    if (!Array.isArray(keys)) throw wrong("keys", "a list");
    const sealed = keys.map((key: unknown) => ({ id: bodies.text(key, "id"), sealed: bodies.text(key, "sealed") }));
    return { document: bodies.text(body, "document"), note, basedOn, keys: sealed };
  },
} as const;

const kinds: readonly Exclude<CreditKind, "opening">[] = ["top-up", "correction"];
/** Fields of an API key that can be changed. */
const changeable: ReadonlySet<string> = new Set([
  "name",
  "group",
  "models",
  "disabled",
  "expiresAt",
  "budget",
  "ofMember",
  "within",
]);

function memberOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
}

function wrong(name: string, what: string): Failure {
  return new Failure("invalid_value", `${name} must be ${what}.`, { param: name });
}
