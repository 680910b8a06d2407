import { randomBytes } from "node:crypto";
import { keyDigest } from "@modelgate/accounts";
import { Failure, recordParser, withoutUndefined } from "@modelgate/contracts";
import { operatorRoles, type Operator, type OperatorRole } from "@modelgate/platform";
import { Type, type Static } from "typebox";
import type { Ledger } from "../ledger.ts";
import { hashPassword, passwordMatches } from "./passwords.ts";

const role = Type.Enum([...operatorRoles]);

const PersonRecord = Type.Object({
  role,
  /** Account to which the operator is limited; absent or null for all. */
  account: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** Email address that an OpenID provider has verified. */
  email: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** Argon2id hash as a PHC string. */
  password: Type.Optional(Type.String()),
  disabled: Type.Boolean(),
  createdAt: Type.String(),
});
type PersonRecord = Static<typeof PersonRecord>;

const KeyRecord = Type.Object({
  name: Type.String(),
  role,
  account: Type.Optional(Type.String()),
  hint: Type.String(),
  createdAt: Type.String(),
});

const readPerson = recordParser("operator", PersonRecord);
const readKeyRecord = recordParser("operator's key", KeyRecord);

/** An operator without secrets. */
export interface PersonView {
  readonly name: string;
  readonly role: OperatorRole;
  readonly account: string | null;
  readonly email: string | null;
  readonly hasPassword: boolean;
  readonly disabled: boolean;
  readonly createdAt: string;
}

/** An automation key without its secret. */
export interface OperatorKeyView {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  readonly account: string | null;
  readonly hint: string;
  readonly createdAt: string;
}

/** Fields of a new operator. */
export interface NewPerson {
  readonly name: string;
  readonly role: OperatorRole;
  readonly account: string | undefined;
  readonly password: string | undefined;
}

/** Fields of an operator that can be changed. */
export interface PersonChange {
  readonly role?: OperatorRole | undefined;
  readonly password?: string | undefined;
  readonly disabled?: boolean | undefined;
}

const keyPrefix = "mgo_";
/** Time in ms for which permissions of keys are cached. A deleted key may work that long. */
const cacheMs = 2_000;
const maxCached = 1_000;

interface BookedRecord {
  readonly name: string;
  readonly record: object;
}

interface BookedKey {
  readonly id: string;
  readonly record: object;
}

/** Operators and automation keys in the books. */
export class People {
  readonly #ledger: Pick<Ledger, "read" | "write">;
  readonly #cachedByDigest = new Map<string, { readonly until: number; readonly operator: Operator | undefined }>();
  constructor(ledger: Pick<Ledger, "read" | "write">) {
    this.#ledger = ledger;
  }

  /**
   * Returns the operator with this name and password. Throws the same Failure for every mistake and for a disabled
   * operator.
   */
  async findByPassword(name: string, password: string): Promise<Operator> {
    const found = await this.#find(name);
    const matches = await passwordMatches(password, found?.password);
    if (found === undefined || !matches || found.disabled)
      throw new Failure("invalid_api_key", "The name or the password is wrong.");
    return { name, role: found.role, account: found.account ?? undefined };
  }

  async find(name: string): Promise<PersonView | undefined> {
    const found = await this.#find(name);
    return found && personView(name, found);
  }

  /** Returns whether an operator is disabled, and therefore may not sign in by any method. */
  async isDisabled(name: string): Promise<boolean> {
    return (await this.#find(name))?.disabled === true;
  }

  /** Returns the operator of an automation key; undefined for an unknown key. */
  async findByKey(key: string): Promise<Operator | undefined> {
    if (!key.startsWith(keyPrefix)) return undefined;
    const digest = keyDigest(key);
    const cached = this.#cachedByDigest.get(digest);
    if (cached !== undefined && cached.until > Date.now()) return cached.operator;
    const [booked] = await this.#ledger.read<readonly BookedKey[]>(`/operator-keys?digest=${digest}`);
    const record = booked === undefined ? undefined : readKeyRecord(JSON.stringify(booked.record));
    const operator =
      record === undefined ? undefined : { name: actorOfKey(record), role: record.role, account: record.account };
    if (this.#cachedByDigest.size >= maxCached) this.#cachedByDigest.clear();
    this.#cachedByDigest.set(digest, { until: Date.now() + cacheMs, operator });
    return operator;
  }

  async list(): Promise<readonly PersonView[]> {
    const all = await this.#ledger.read<readonly BookedRecord[]>("/operators");
    return all.map(({ name, record }) => personView(name, readPerson(JSON.stringify(record))));
  }

  /** Creates an operator. Throws Failure (409) if the name exists. */
  async create({ name, role: wanted, account, password }: NewPerson, actor: string): Promise<PersonView> {
    const record: PersonRecord = withoutUndefined({
      role: wanted,
      account,
      password: password === undefined ? undefined : await hashPassword(password),
      disabled: false,
      createdAt: new Date().toISOString(),
    });
    const after = personView(name, record);
    const { created } = await this.#ledger.write<{ created: boolean }>(
      "/operators",
      { name, record, action: "operator.create", account: account ?? "", after },
      actor,
    );
    if (!created)
      throw new Failure("invalid_value", `The operator ${JSON.stringify(name)} already exists.`, {
        param: "name",
        status: 409,
      });
    return after;
  }

  /** Records a person who signed in through a provider, so that the person can be disabled. */
  async remember({ name, role: newRole, ...operator }: Operator): Promise<void> {
    const { account = null, email = null } = operator;
    const found = await this.#find(name);
    const record = { role: newRole, account, email };
    const auditEntry = { account: account ?? "", after: { name, ...record } };
    if (found === undefined) {
      const newRecord: PersonRecord = { ...record, disabled: false, createdAt: new Date().toISOString() };
      await this.#ledger.write(
        "/operators",
        { name, record: newRecord, action: "operator.create", ...auditEntry },
        name,
      );
    } else if (found.role !== newRole || (found.account ?? null) !== account || (found.email ?? null) !== email)
      await this.#ledger.write(
        `/operators/${encodeURIComponent(name)}`,
        { record, action: "operator.change", ...auditEntry },
        name,
      );
  }

  async change(name: string, { password, ...change }: PersonChange, actor: string): Promise<PersonView> {
    const record = withoutUndefined({
      ...change,
      password: password === undefined ? undefined : await hashPassword(password),
    });
    const after = withoutUndefined({ name, ...change, password: password === undefined ? undefined : "changed" });
    const path = `/operators/${encodeURIComponent(name)}`;
    const body = { record, action: "operator.change", account: "", after } as const;
    const changed = await this.#ledger.write<BookedRecord>(path, body, actor);
    return personView(name, readPerson(JSON.stringify(changed.record)));
  }

  async listKeys(): Promise<readonly OperatorKeyView[]> {
    const all = await this.#ledger.read<readonly BookedKey[]>("/operator-keys");
    return all.map(({ id, record }) => {
      const { account, ...rest } = readKeyRecord(JSON.stringify(record));
      return { id, ...rest, account: account ?? null };
    });
  }

  /** Creates an automation key. Only this answer contains its secret. */
  async createKey(
    request: { readonly name: string; readonly role: OperatorRole; readonly account: string | undefined },
    actor: string,
  ): Promise<OperatorKeyView & { readonly key: string }> {
    const key = `${keyPrefix}${randomBytes(32).toString("base64url")}`;
    const digest = keyDigest(key);
    const id = `opk_${digest.slice(0, 16)}`;
    const { account, ...rest } = request;
    const record = { ...rest, hint: `${key.slice(0, 8)}…${key.slice(-3)}`, createdAt: new Date().toISOString() };
    const storedRecord = account === undefined ? record : { ...record, account };
    const after = { id, ...storedRecord };
    const auditEntry = { action: "operator-key.create", account: account ?? "", after } as const;
    await this.#ledger.write("/operator-keys", { id, digest, record: storedRecord, ...auditEntry }, actor);
    return { id, account: account ?? null, ...record, key };
  }

  /** Deletes an automation key. Throws Failure if it does not exist. */
  async deleteKey(id: string, actor: string): Promise<void> {
    await this.#ledger.write(`/operator-keys/${encodeURIComponent(id)}/delete`, {}, actor);
    this.#cachedByDigest.clear();
  }

  async #find(name: string): Promise<PersonRecord | undefined> {
    const [booked] = await this.#ledger.read<readonly BookedRecord[]>(`/operators?name=${encodeURIComponent(name)}`);
    return booked === undefined ? undefined : readPerson(JSON.stringify(booked.record));
  }
}

/** Returns the name of an automation key in the audit log. No operator can have it. */
export function actorOfKey({ name }: { readonly name: string }): string {
  return `key ${name}`;
}

function personView(name: string, { password, account = null, email = null, ...record }: PersonRecord): PersonView {
  return { name, ...record, account, email, hasPassword: password !== undefined };
}
