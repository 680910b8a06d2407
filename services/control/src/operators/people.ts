import { randomBytes } from "node:crypto";
import { digestOf } from "@modelgate/accounts";
import { Failure, stored, present } from "@modelgate/contracts";
import { operatorRoles, type Operator, type OperatorRole } from "@modelgate/platform";
import { Type, type Static } from "typebox";
import type { Ledger } from "../ledger.ts";
import { hashPassword, isPassword } from "./passwords.ts";

const role = Type.Enum([...operatorRoles]);

const PersonRecord = Type.Object({
  role,
  /** Limits the operator to one account; absent or null: all accounts. */
  account: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** Verified by an OpenID provider. */
  email: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** Argon2id hash as a PHC string; absent: no password, as for people of an OpenID provider. */
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

const readPerson = stored("operator", PersonRecord);
const readKeyRecord = stored("operator's key", KeyRecord);

/** An operator, for display. */
export interface PersonView {
  readonly name: string;
  readonly role: OperatorRole;
  readonly account: string | null;
  readonly email: string | null;
  readonly hasPassword: boolean;
  readonly disabled: boolean;
  readonly createdAt: string;
}

/** An automation key, for display. */
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

/** Prefix of keys for automation. */
const keyPrefix = "mgo_";
/** Time, in ms, for which a key's permissions are cached: a deleted key stops working within it. */
const rememberMs = 2_000;
/** Maximum cached keys, including unknown ones. */
const maxRemembered = 1_000;

interface BookedRecord {
  readonly name: string;
  readonly record: object;
}

interface BookedKey {
  readonly id: string;
  readonly record: object;
}

/** Operators and their automation keys, which the books store. */
export class People {
  readonly #ledger: Pick<Ledger, "read" | "write">;
  readonly #remembered = new Map<string, { readonly until: number; readonly operator: Operator | undefined }>();
  constructor(ledger: Pick<Ledger, "read" | "write">) {
    this.#ledger = ledger;
  }

  /**
   * Returns the operator with a name and password. Throws Failure invalid_api_key, which does not reveal which is
   * wrong.
   */
  async byPassword(name: string, password: string): Promise<Operator> {
    const found = await this.#find(name);
    const fits = await isPassword(password, found?.password);
    if (found === undefined || !fits || found.disabled)
      throw new Failure("invalid_api_key", "The name or the password is wrong.");
    return { name, role: found.role, account: found.account ?? undefined };
  }

  /** Returns true if the operator with that name may not sign in by any method. */
  async isDisabled(name: string): Promise<boolean> {
    return (await this.#find(name))?.disabled === true;
  }

  /** Returns the owner of an automation key; undefined for any other key. */
  async byKey(key: string): Promise<Operator | undefined> {
    if (!key.startsWith(keyPrefix)) return undefined;
    const digest = digestOf(key);
    const known = this.#remembered.get(digest);
    if (known !== undefined && known.until > Date.now()) return known.operator;
    const [booked] = await this.#ledger.read<readonly BookedKey[]>(`/operator-keys?digest=${digest}`);
    const record = booked === undefined ? undefined : readKeyRecord(JSON.stringify(booked.record));
    const operator =
      record === undefined ? undefined : { name: actorOfKey(record), role: record.role, account: record.account };
    if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#remembered.set(digest, { until: Date.now() + rememberMs, operator });
    return operator;
  }

  async list(): Promise<readonly PersonView[]> {
    const all = await this.#ledger.read<readonly BookedRecord[]>("/operators");
    return all.map(({ name, record }) => shown(name, readPerson(JSON.stringify(record))));
  }

  /** Creates an operator. Throws Failure (409) where the name exists. */
  async create({ name, role: wanted, account, password }: NewPerson, actor: string): Promise<PersonView> {
    const record: PersonRecord = present({
      role: wanted,
      account,
      password: password === undefined ? undefined : await hashPassword(password),
      disabled: false,
      createdAt: new Date().toISOString(),
    });
    const after = shown(name, record);
    const act = { action: "operator.create", account: account ?? "", after };
    const { created } = await this.#ledger.write<{ created: boolean }>("/operators", { name, record, ...act }, actor);
    if (!created)
      throw new Failure("invalid_value", `The operator ${JSON.stringify(name)} already exists.`, {
        param: "name",
        status: 409,
      });
    return after;
  }

  /** Records a person who signed in through a provider, if new or changed, so that the person can be disabled. */
  async remember({ name, role: has, ...operator }: Operator): Promise<void> {
    const { account = null, email = null } = operator;
    const found = await this.#find(name);
    const record = { role: has, account, email };
    const act = { account: account ?? "", after: { name, ...record } };
    if (found === undefined) {
      const whole: PersonRecord = { ...record, disabled: false, createdAt: new Date().toISOString() };
      await this.#ledger.write("/operators", { name, record: whole, action: "operator.create", ...act }, name);
    } else if (found.role !== has || (found.account ?? null) !== account || (found.email ?? null) !== email)
      await this.#ledger.write(
        `/operators/${encodeURIComponent(name)}`,
        { record, action: "operator.change", ...act },
        name,
      );
  }

  /** Changes an operator. Throws Failure unknown_url. */
  async change(name: string, { password, ...change }: PersonChange, actor: string): Promise<PersonView> {
    const record = present({ ...change, password: password === undefined ? undefined : await hashPassword(password) });
    const after = present({ name, ...change, password: password === undefined ? undefined : "changed" });
    const path = `/operators/${encodeURIComponent(name)}`;
    const body = { record, action: "operator.change", account: "", after };
    const changed = await this.#ledger.write<BookedRecord>(path, body, actor);
    return shown(name, readPerson(JSON.stringify(changed.record)));
  }

  async keys(): Promise<readonly OperatorKeyView[]> {
    const all = await this.#ledger.read<readonly BookedKey[]>("/operator-keys");
    return all.map(({ id, record }) => {
      const { account, ...rest } = readKeyRecord(JSON.stringify(record));
      return { id, ...rest, account: account ?? null };
    });
  }

  /** Creates an automation key. Only this answer contains the key. */
  async createKey(
    wish: { readonly name: string; readonly role: OperatorRole; readonly account: string | undefined },
    actor: string,
  ): Promise<OperatorKeyView & { readonly key: string }> {
    const key = `${keyPrefix}${randomBytes(32).toString("base64url")}`;
    const digest = digestOf(key);
    const id = `opk_${digest.slice(0, 16)}`;
    const { account, ...rest } = wish;
    const record = { ...rest, hint: `${key.slice(0, 8)}…${key.slice(-3)}`, createdAt: new Date().toISOString() };
    const kept = account === undefined ? record : { ...record, account };
    const after = { id, ...kept };
    const act = { action: "operator-key.create", account: account ?? "", after };
    await this.#ledger.write("/operator-keys", { id, digest, record: kept, ...act }, actor);
    return { id, account: account ?? null, ...record, key };
  }

  /** Deletes an automation key. Throws Failure unknown_url. */
  async deleteKey(id: string, actor: string): Promise<void> {
    await this.#ledger.write(`/operator-keys/${encodeURIComponent(id)}/delete`, {}, actor);
    this.#remembered.clear();
  }

  async #find(name: string): Promise<PersonRecord | undefined> {
    const [booked] = await this.#ledger.read<readonly BookedRecord[]>(`/operators?name=${encodeURIComponent(name)}`);
    return booked === undefined ? undefined : readPerson(JSON.stringify(booked.record));
  }
}

/** Returns the audit actor of an automation key; no operator can have such a name. */
export function actorOfKey({ name }: { readonly name: string }): string {
  return `key ${name}`;
}

function shown(name: string, { password, account = null, email = null, ...record }: PersonRecord): PersonView {
  return { name, ...record, account, email, hasPassword: password !== undefined };
}
