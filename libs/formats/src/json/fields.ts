import { Failure, endUserOf } from "@modelgate/contracts";

/** A JSON object with unchecked members. */
export type JsonRecord = { readonly [name: string]: unknown };

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function splitWords(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Spelling of member names: exact, or also in snake_case. */
type Spelling = "exact" | "either";

/**
 * Reads an object of a client's body field by field. Null means absent. A value of the wrong type throws a Failure
 * (400) that names its path. `unread` lists the fields that were not read.
 */
export class Fields {
  readonly path: string;
  readonly value: JsonRecord;
  readonly #spelling: Spelling;
  readonly #read = new Set<string>();
  readonly #children: Fields[] = [];

  constructor(value: unknown, path = "", spelling: Spelling = "exact") {
    if (!isRecord(value)) throw invalidField(path === "" ? "The body" : path, "an object", path);
    this.value = value;
    this.path = path;
    this.#spelling = spelling;
  }

  /** Returns a value unchanged and marks it as read; undefined for null. */
  raw(name: string): unknown {
    const key = this.#keyOf(name);
    this.#read.add(key);
    return this.value[key] ?? undefined;
  }

  need(name: string): unknown {
    return this.raw(name) ?? this.#missing(name);
  }

  has(name: string): boolean {
    return (this.value[this.#keyOf(name)] ?? undefined) !== undefined;
  }

  /** Marks members that have no meaning in other wires as read, so that they are not reported as dropped. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#read.add(this.#keyOf(name));
  }

  /** Returns the object, and marks it and everything below it as read. */
  whole(): JsonRecord {
    for (const name of Object.keys(this.value)) this.#read.add(name);
    return this.value;
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "string") return value;
    throw this.wrong(name, "a string");
  }

  needText(name: string): string {
    return this.text(name) ?? this.#missing(name);
  }

  number(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "number") return value;
    throw this.wrong(name, "a number");
  }

  count(name: string, least = 0): number | undefined {
    const value = this.number(name);
    if (value !== undefined && (!Number.isInteger(value) || value < least))
      throw this.wrong(name, `a whole number from ${least}`);
    return value;
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.wrong(name, "true or false");
  }

  /** Returns a member that must be an object, without tracking its fields. */
  record(name: string): JsonRecord | undefined {
    const value = this.raw(name);
    if (value === undefined || isRecord(value)) return value;
    throw this.wrong(name, "an object");
  }

  fields(name: string): Fields | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : this.#child(value, this.at(name));
  }

  needFields(name: string): Fields {
    return this.fields(name) ?? this.#refuse(name, "an object");
  }

  /** Returns an array. A single object or text becomes one item if the spelling is "either" (Google's). */
  list(name: string): readonly unknown[] | undefined {
    const value = this.raw(name);
    if (value === undefined || Array.isArray(value)) return value;
    if (this.#spelling === "either" && (isRecord(value) || typeof value === "string")) return [value];
    throw this.wrong(name, "an array");
  }

  each(name: string, max: number): readonly Fields[] {
    const values = this.list(name) ?? [];
    if (values.length > max) throw this.wrong(name, `an array of at most ${max} items`);
    return values.map((value, index) => this.#child(value, `${this.at(name)}[${index}]`));
  }

  texts(name: string): readonly string[] | undefined {
    return this.list(name)?.map((value, index) => {
      if (typeof value === "string") return value;
      throw this.wrong(`${name}[${index}]`, "a string");
    });
  }

  textOrTexts(name: string): readonly string[] | undefined {
    const value = this.raw(name);
    return typeof value === "string" ? [value] : this.texts(name);
  }

  oneOf<Word extends string>(name: string, values: readonly Word[]): Word | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    return values.find((value) => value === text) ?? this.#refuse(name, `one of ${values.join(", ")}`);
  }

  needOneOf<Word extends string>(name: string, values: readonly Word[]): Word {
    return this.oneOf(name, values) ?? this.#refuse(name, `one of ${values.join(", ")}`);
  }

  at(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }

  wrong(name: string, kind: string): Failure {
    return invalidField(this.at(name), kind, this.at(name));
  }

  /** Creates the failure for a member that changes the answer's meaning and that no other wire can express. */
  unsupported(name: string): Failure {
    const param = this.at(name);
    return new Failure("unsupported_parameter", `${param} cannot be passed to the vendor of this model.`, { param });
  }

  /** Lists the paths of all unread members, here and below, with array positions as `[]`. */
  unread(): readonly string[] {
    const names = Object.keys(this.value)
      .filter((name) => !this.#read.has(name) && (this.value[name] ?? undefined) !== undefined)
      .map((name) => this.at(name));
    const all = [...names, ...this.#children.flatMap((child) => child.unread())];
    return [...new Set(all.map((path) => path.replaceAll(/\[\d+\]/g, "[]")))];
  }

  #child(value: unknown, path: string): Fields {
    const child = new Fields(value, path, this.#spelling);
    this.#children.push(child);
    return child;
  }

  #keyOf(name: string): string {
    if (this.#spelling === "exact" || name in this.value) return name;
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return snake in this.value ? snake : name;
  }

  #refuse(name: string, kind: string): never {
    throw this.wrong(name, kind);
  }

  #missing(name: string): never {
    throw missingFailure(this.at(name));
  }
}

export function missingFailure(param: string, message = `Missing required parameter: ${param}.`): Failure {
  return new Failure("missing_required_parameter", message, { param });
}

export function invalidFailure(param: string, message: string): Failure {
  return new Failure("invalid_value", message, { param });
}

function invalidField(subject: string, kind: string, param: string): Failure {
  return invalidFailure(param, `${subject} must be ${kind}.`);
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the entry of a table for an external name; undefined for inherited names such as `constructor`. */
export function ownEntry<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export function camelName(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

interface NumberBounds {
  readonly fallback: number;
  readonly max: number;
  readonly min?: number;
}

/** Reads an integer in plain digits from a query. Throws Failure invalid_value (400) that names the parameter. */
export function readQueryInteger(
  query: URLSearchParams,
  param: string,
  { fallback, max, min = 1 }: NumberBounds,
): number {
  const text = query.get(param);
  if (text === null || text === "") return fallback;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value) || value < min || value > max)
    throw new Failure("invalid_value", `${param} must be a whole number from ${min} to ${max}.`, { param });
  return value;
}

/** Returns the end user of a request: `safety_identifier`, or `user`. */
export function readEndUser(body: unknown): string | undefined {
  if (!isRecord(body) || !hasAny(body, endUserMembers)) return undefined;
  return endUserOf(body["safety_identifier"]) ?? endUserOf(body["user"]);
}

const endUserMembers = ["safety_identifier", "user"];

/** Returns whether an object has one of the members, with a value other than null. */
export function hasAny(record: JsonRecord, names: readonly string[]): boolean {
  for (const name of names) if ((record[name] ?? undefined) !== undefined) return true;
  return false;
}

export function parseRecord(text: string): JsonRecord | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

export function asRecords(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
