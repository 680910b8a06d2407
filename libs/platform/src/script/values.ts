/** TypeScript types of arguments and reply values. Redis transmits all of them as text. */
interface PlainTypes {
  readonly text: string;
  /** Must be an integer in replies, because Redis truncates fractions. */
  readonly number: number;
  /** An amount of money: a decimal string in Lua, whose numbers are exact only up to 2^53. */
  readonly nanos: bigint;
  readonly flag: boolean;
}

type PlainKind = keyof PlainTypes;

/** `text?` may be undefined (nil in Lua). `text[]` is a list and must be the last one. */
export type Kind = PlainKind | `${PlainKind}?` | `${PlainKind}[]`;

export type ValueOf<K extends Kind> = K extends `${infer Each extends PlainKind}[]`
  ? readonly PlainTypes[Each][]
  : K extends `${infer Each extends PlainKind}?`
    ? PlainTypes[Each] | undefined
    : K extends PlainKind
      ? PlainTypes[K]
      : never;

/** Values by name, with the types of their kinds. */
export type Values<Kinds extends Readonly<Record<string, Kind>>> = {
  readonly [Name in keyof Kinds]: ValueOf<Kinds[Name]>;
};

/** Renders an argument of a script as text. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return value.toString();
  if (typeof value === "boolean") return value ? "1" : "0";
  if (value === undefined) return "";
  throw new TypeError("an argument of a script is text, a number, an amount or a flag");
}

/** Parses one value of a reply. Throws if a number or an amount is not an integer. */
export function valueOf(kind: Kind, text: string): string | number | bigint | boolean | undefined {
  if (kind.endsWith("?") && text === "") return undefined;
  if (kind.startsWith("number")) return Number(BigInt(text));
  if (kind.startsWith("nanos")) return BigInt(text);
  return kind.startsWith("flag") ? text === "1" : text;
}

/** Renders the Lua expression that converts an argument from text to its kind. */
export function luaExpressionOf(kind: Kind, argument: string): string {
  if (kind.startsWith("number")) return `tonumber(${argument})`; // nil for ""
  if (kind.startsWith("flag")) return `${argument} == '1'`;
  return kind.endsWith("?") ? `${argument} ~= '' and ${argument} or nil` : argument;
}

export function isListKind(kind: Kind): boolean {
  return kind.endsWith("[]");
}

/** Keys by name. `name[]` is a list of keys. */
export type ScriptKeys<Key extends string> = {
  readonly [Name in Key as Name extends `${infer Plain}[]` ? Plain : Name]: Name extends `${string}[]`
    ? readonly string[]
    : string;
};

/** Kinds of a script's reply values, by verdict and name. */
export type Replies = Readonly<Record<string, Readonly<Record<string, Kind>>>>;

/** A reply: its verdict, and its values by name. */
export type ReplyOf<Shapes extends Replies> = {
  [Verdict in keyof Shapes & string]: { readonly verdict: Verdict } & Values<Shapes[Verdict]>;
}[keyof Shapes & string];

/** Returns the names of declared keys without `[]`. */
export function keyNamesOf(declared: readonly string[]): readonly string[] {
  return declared.map((name) => name.replace(/\[\]$/, ""));
}

/** Returns the keys in the order of declaration. Throws TypeError if one is missing. */
export function writeKeys(
  script: string,
  names: readonly string[],
  values: Readonly<Record<string, string | readonly string[]>>,
): readonly string[] {
  const texts: string[] = [];
  for (const name of names) {
    const key = values[name];
    if (key === undefined) throw new TypeError(`${script}: the key "${name}" is missing`);
    if (typeof key === "string") texts.push(key);
    else texts.push(...key);
  }
  return texts;
}

/** Renders the arguments in the order of declaration. Throws TypeError if a required one is missing. */
export function writeArguments(
  script: string,
  kinds: readonly (readonly [name: string, kind: Kind])[],
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  const texts: string[] = [];
  for (const [name, kind] of kinds) {
    const value = values[name];
    if (value === undefined && !kind.endsWith("?")) throw new TypeError(`${script}: the argument "${name}" is missing`);
    if (typeof value === "string") texts.push(value);
    else if (Array.isArray(value)) texts.push(...value.map(textOf));
    else texts.push(textOf(value));
  }
  return texts;
}

/** Creates the parser of a script's replies. It throws TypeError for an undeclared verdict or a missing value. */
export function replyReader<Shapes extends Replies>(
  script: string,
  shapes: Shapes,
): (reply: unknown) => ReplyOf<Shapes> {
  const readers = new Map(
    Object.entries(shapes).map(([verdict, kinds]) => [
      verdict,
      Object.entries(kinds).map(([name, kind]) => ({ name, kind, isList: isListKind(kind) })),
    ]),
  );
  return (reply) => {
    if (!Array.isArray(reply)) throw new TypeError(`${script}: the reply is not a list`);
    const verdict = String(reply[0]);
    const kinds = readers.get(verdict);
    if (kinds === undefined) throw new TypeError(`${script}: unknown verdict "${verdict}"`);
    const values: Record<string, unknown> = { verdict };
    let index = 0;
    for (const { name, kind, isList } of kinds) {
      index++;
      if (isList) values[name] = reply.slice(index).map((text) => valueOf(kind, String(text)));
      else if (reply.length > index) values[name] = valueOf(kind, String(reply[index]));
      else throw new TypeError(`${script}: "${verdict}" came without "${name}"`);
    }
    // The loop has converted each value by its declared kind.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return values as ReplyOf<Shapes>;
  };
}
