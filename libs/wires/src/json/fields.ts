import { Failure, endUserOf } from "@modelgate/contracts";

/** A JSON object whose members have not been read yet. */
export type JsonRecord = { readonly [name: string]: unknown };

/** Returns true if a JSON value is an object; arrays and null are not. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Spelling of member names: as given, or also in snake_case where the format takes both. */
type Spelling = "exact" | "either";

/**
 * An object of a client's body, read field by field. Null counts as absent; 0, false and "" are values. A value of
 * the wrong kind is a Failure (400) that names its path. What was not read is reported by `unread`, so no field is lost
 * in silence.
 */
export class Fields {
  readonly path: string;
  readonly value: JsonRecord;
  readonly #spelling: Spelling;
  readonly #read = new Set<string>();
  readonly #children: Fields[] = [];

  constructor(value: unknown, path = "", spelling: Spelling = "exact") {
    if (!isRecord(value)) throw wrong(path === "" ? "The body" : path, "an object", path);
    this.value = value;
    this.path = path;
    this.#spelling = spelling;
  }

  /** The value as it came, marked as read; null is undefined. */
  raw(name: string): unknown {
    const key = this.#keyOf(name);
    this.#read.add(key);
    return this.value[key] ?? undefined;
  }

  /** The value as it came, which must be there. */
  need(name: string): unknown {
    return this.raw(name) ?? this.#missing(name);
  }

  has(name: string): boolean {
    return (this.value[this.#keyOf(name)] ?? undefined) !== undefined;
  }

  /** Marks members as read that carry no meaning for anybody else. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#read.add(this.#keyOf(name));
  }

  /** Marks the whole object and all below it as read: it travels on as it is. */
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

  /** A whole number, not below `least`. */
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

  /** An object that travels on as it is. */
  record(name: string): JsonRecord | undefined {
    const value = this.raw(name);
    if (value === undefined || isRecord(value)) return value;
    throw this.wrong(name, "an object");
  }

  /** An object to be read field by field. */
  fields(name: string): Fields | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : this.#child(value, this.at(name));
  }

  /** An object to be read field by field, which must be there. */
  needFields(name: string): Fields {
    return this.fields(name) ?? this.#refuse(name, "an object");
  }

  /** An array; where names may be spelled in two ways, one object or text may stand for an array of it as well. */
  list(name: string): readonly unknown[] | undefined {
    const value = this.raw(name);
    if (value === undefined || Array.isArray(value)) return value;
    if (this.#spelling === "either" && (isRecord(value) || typeof value === "string")) return [value];
    throw this.wrong(name, "an array");
  }

  /** An array of objects, of at most `most`. */
  each(name: string, most: number): readonly Fields[] {
    const values = this.list(name) ?? [];
    if (values.length > most) throw this.wrong(name, `an array of at most ${most} items`);
    return values.map((value, index) => this.#child(value, `${this.at(name)}[${index}]`));
  }

  texts(name: string): readonly string[] | undefined {
    return this.list(name)?.map((value, index) => {
      if (typeof value === "string") return value;
      throw this.wrong(`${name}[${index}]`, "a string");
    });
  }

  /** An array of texts, or one text for an array of it. */
  textOrTexts(name: string): readonly string[] | undefined {
    const value = this.raw(name);
    return typeof value === "string" ? [value] : this.texts(name);
  }

  /** One of a few words. */
  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    return words.find((word) => word === text) ?? this.#refuse(name, `one of ${words.join(", ")}`);
  }

  /** One of a few words, which must be there. */
  needWord<Word extends string>(name: string, words: readonly Word[]): Word {
    return this.word(name, words) ?? this.#refuse(name, `one of ${words.join(", ")}`);
  }

  /** The path of a member, as the client would write it. */
  at(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }

  wrong(name: string, kind: string): Failure {
    return wrong(this.at(name), kind, this.at(name));
  }

  /** A member that changes the answer's meaning and cannot be carried by any other wire. */
  unsupported(name: string): Failure {
    const param = this.at(name);
    return new Failure("unsupported_parameter", `${param} cannot be passed to the vendor of this model.`, { param });
  }

  /** Lists the paths of all members that were not read, here and below, list positions written as `[]`, each once. */
  unread(): readonly string[] {
    const own = Object.keys(this.value)
      .filter((name) => !this.#read.has(name) && (this.value[name] ?? undefined) !== undefined)
      .map((name) => this.at(name));
    const all = [...own, ...this.#children.flatMap((child) => child.unread())];
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
    const param = this.at(name);
    throw new Failure("missing_required_parameter", `Missing required parameter: ${param}.`, { param });
  }
}

function wrong(what: string, kind: string, param: string): Failure {
  return new Failure("invalid_value", `${what} must be ${kind}.`, { param });
}

/** Returns a value that is text; "" for any other. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A table's entry by a name that came from outside: names such as `constructor` find nothing that is not in it. */
export function own<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Returns a name of a member in camelCase. */
export function camelName(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

interface NumberBounds {
  /** Value for a query without the parameter. */
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

/** Reads the end user that a request names, for the books, as most endpoints spell it: `safety_identifier`, else `user`. */
export function endUserIn(body: unknown): string | undefined {
  if (!isRecord(body) || !hasAny(body, endUserMembers)) return undefined;
  return endUserOf(body["safety_identifier"]) ?? endUserOf(body["user"]);
}

const endUserMembers = ["safety_identifier", "user"];

/** Returns true if an object has one of some members; null counts as absent. */
export function hasAny(record: JsonRecord, names: readonly string[]): boolean {
  for (const name of names) if ((record[name] ?? undefined) !== undefined) return true;
  return false;
}

/** The JSON object that a text is; undefined for anything else. */
export function parseRecord(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a value that is an object; an empty one for anything else. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** Returns a member of a value that may be an object. */
export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** Returns the objects in a value that may be a list. */
export function recordsIn(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
