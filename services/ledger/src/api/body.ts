import { type CreditEvent, type CreditKind, Failure, UnknownShape } from "@modelgate/contracts";
import { readToken, type Token } from "@modelgate/accounts";

/** Readers of what control sends; each throws Failure (400) naming what is wrong. */
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
} as const;

const kinds: readonly Exclude<CreditKind, "opening">[] = ["top-up", "correction"];
/** What of a token may be changed. */
const changeable: ReadonlySet<string> = new Set(["disabled", "expiresAt", "budget"]);

function memberOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
}

function wrong(name: string, what: string): Failure {
  return new Failure("invalid_value", `${name} must be ${what}.`, { param: name });
}
