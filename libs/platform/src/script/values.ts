/** TypeScript types of arguments and of parts of a reply; in Redis all of them are text. */
interface Plain {
  readonly text: string;
  /** A whole number in replies, for Redis cuts fractions off. */
  readonly number: number;
  /** Money, a decimal string in Lua: its numbers are exact to 2^53 only. */
  readonly nanos: bigint;
  readonly flag: boolean;
}

type PlainKind = keyof Plain;

/** A value's kind: `text?` may be undefined (nil in Lua); `text[]` is a list, always the last one. */
export type Kind = PlainKind | `${PlainKind}?` | `${PlainKind}[]`;

/** The type of a kind's values. */
export type ValueOf<K extends Kind> = K extends `${infer Each extends PlainKind}[]`
  ? readonly Plain[Each][]
  : K extends `${infer Each extends PlainKind}?`
    ? Plain[Each] | undefined
    : K extends PlainKind
      ? Plain[K]
      : never;

/** Values by the names of their kinds. */
export type Values<Kinds extends Readonly<Record<string, Kind>>> = {
  readonly [Name in keyof Kinds]: ValueOf<Kinds[Name]>;
};

/** Writes a value as an argument of a script. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return value.toString();
  if (typeof value === "boolean") return value ? "1" : "0";
  if (value === undefined) return "";
  throw new TypeError("an argument of a script is text, a number, an amount or a flag");
}

/** Reads one text of a reply. Throws for a number or an amount that is not whole. */
export function valueOf(kind: Kind, text: string): string | number | bigint | boolean | undefined {
  if (kind.endsWith("?") && text === "") return undefined;
  if (kind.startsWith("number")) return Number(BigInt(text));
  if (kind.startsWith("nanos")) return BigInt(text);
  return kind.startsWith("flag") ? text === "1" : text;
}

/** Writes the Lua expression that reads an argument of this kind. */
export function luaOf(kind: Kind, argument: string): string {
  if (kind.startsWith("number")) return `tonumber(${argument})`; // nil for ""
  if (kind.startsWith("flag")) return `${argument} == '1'`;
  return kind.endsWith("?") ? `${argument} ~= '' and ${argument} or nil` : argument;
}

export function isList(kind: Kind): boolean {
  return kind.endsWith("[]");
}
