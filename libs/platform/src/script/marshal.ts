import { isList, textOf, valueOf, type Kind, type Values } from "./values.ts";

/** Keys by name; one that is declared as `name[]` is a list. */
export type ScriptKeys<Key extends string> = {
  readonly [Name in Key as Name extends `${infer Plain}[]` ? Plain : Name]: Name extends `${string}[]`
    ? readonly string[]
    : string;
};

/** The replies of a script: what comes with each verdict. */
export type Replies = Readonly<Record<string, Readonly<Record<string, Kind>>>>;

/** A reply: its verdict, and by name what comes with it. */
export type ReplyOf<Shapes extends Replies> = {
  [Verdict in keyof Shapes & string]: { readonly verdict: Verdict } & Values<Shapes[Verdict]>;
}[keyof Shapes & string];

/** The names that keys are given by: without the sign of a list. */
export function keyNamesOf(declared: readonly string[]): readonly string[] {
  return declared.map((name) => name.replace(/\[\]$/, ""));
}

/** Writes keys in the order in which they were declared. */
export function writeKeys(
  script: string,
  names: readonly string[],
  given: Readonly<Record<string, string | readonly string[]>>,
): readonly string[] {
  const texts: string[] = [];
  for (const name of names) {
    const key = given[name];
    if (key === undefined) throw new TypeError(`${script}: the key "${name}" is missing`);
    if (typeof key === "string") texts.push(key);
    else texts.push(...key);
  }
  return texts;
}

/** Writes arguments in the order in which they were declared. */
export function writeArguments(
  script: string,
  kinds: readonly (readonly [name: string, kind: Kind])[],
  given: Readonly<Record<string, unknown>>,
): readonly string[] {
  const texts: string[] = [];
  for (const [name, kind] of kinds) {
    const value = given[name];
    if (value === undefined && !kind.endsWith("?")) throw new TypeError(`${script}: the argument "${name}" is missing`);
    if (Array.isArray(value)) texts.push(...value.map(textOf));
    else texts.push(textOf(value));
  }
  return texts;
}

/**
 * Makes the function that reads a script's replies. It throws TypeError for a verdict that was not declared, or one
 * that came without its values.
 */
export function replyReader<Shapes extends Replies>(
  script: string,
  shapes: Shapes,
): (reply: unknown) => ReplyOf<Shapes> {
  const readers = new Map(Object.entries(shapes).map(([verdict, kinds]) => [verdict, Object.entries(kinds)]));
  return (reply) => {
    if (!Array.isArray(reply)) throw new TypeError(`${script}: the reply is not a list`);
    const verdict = String(reply[0]);
    const kinds = readers.get(verdict);
    if (kinds === undefined) throw new TypeError(`${script}: unknown verdict "${verdict}"`);
    const values: Record<string, unknown> = { verdict };
    let at = 0;
    for (const [name, kind] of kinds) {
      at++;
      if (isList(kind)) values[name] = reply.slice(at).map((text) => valueOf(kind, String(text)));
      else if (reply.length > at) values[name] = valueOf(kind, String(reply[at]));
      else throw new TypeError(`${script}: "${verdict}" came without "${name}"`);
    }
    // The loop has read each value by its declared kind.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return values as ReplyOf<Shapes>;
  };
}
