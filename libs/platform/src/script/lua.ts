import { isList, luaOf, type Kind } from "./values.ts";

/** The input of a script's text. */
export interface LuaShape {
  readonly file: URL;
  readonly shared?: readonly URL[] | undefined;
  readonly keys: readonly string[];
  readonly args: Readonly<Record<string, Kind>>;
  readonly replies: Readonly<Record<string, Readonly<Record<string, Kind>>>>;
}

/**
 * Renders a script's complete text: the shared functions, the .lua as a function with a local variable for each key and
 * argument, and the conversion of its reply to a list. The shared functions cannot access the variables.
 */
export function scriptText(shape: LuaShape, read: (file: URL) => string): string {
  return [
    ...(shape.shared ?? []).map(read),
    "local function main()", // the names are the function's locals: as upvalues they would cost more
    ...localsOf(shape, { keys: "", arguments: "" }),
    read(shape.file),
    "end",
    "local reply = main()",
    ...Object.entries(shape.replies).flatMap(([verdict, kinds]) => replyLines(verdict, Object.entries(kinds))),
    "return reply",
  ].join("\n");
}

/** Renders a local variable for each key and argument; `before` precedes their numbers, for example `first + `. */
export function localsOf(
  shape: LuaShape,
  before: { readonly keys: string; readonly arguments: string },
): readonly string[] {
  return [
    ...shape.keys.map((name, at) => localOf(name, name.endsWith("[]"), `KEYS[${before.keys}`, at + 1, (key) => key)),
    ...Object.entries(shape.args).map(([name, kind], at) =>
      localOf(name, isList(kind), `ARGV[${before.arguments}`, at + 1, (argument) => luaOf(kind, argument)),
    ),
  ];
}

function localOf(name: string, list: boolean, from: string, at: number, expression: (of: string) => string): string {
  if (!list) return `local ${name} = ${expression(`${from}${at}]`)}`;
  const plain = name.replace(/\[\]$/, "");
  return `local ${plain} = {}; for at = ${at}, #${from.replace(/\[.*/, "")} do ${plain}[at - ${at - 1}] = ${expression(`${from}at]`)} end`;
}

/**
 * Renders the code that turns a table with names into the list that Redis returns; a verdict without values is a list
 * already.
 */
export function replyLines(verdict: string, values: readonly (readonly [string, Kind])[]): readonly string[] {
  if (values.length === 0) return [];
  const single = values.filter(([, kind]) => !isList(kind));
  const list = values.find(([, kind]) => isList(kind))?.[0];
  const members = [`'${verdict}'`, ...single.map(([name, kind]) => memberOf(name, kind))].join(", ");
  if (list === undefined) return [`if reply[1] == '${verdict}' then return {${members}} end`];
  return [
    `if reply[1] == '${verdict}' then`,
    `  local all = {${members}}`,
    `  for _, each in ipairs(reply.${list}) do all[#all + 1] = each end`,
    "  return all",
    "end",
  ];
}

function memberOf(name: string, kind: Kind): string {
  if (kind === "flag") return `reply.${name} and '1' or '0'`;
  return kind.endsWith("?") ? `reply.${name} or ''` : `reply.${name}`;
}

/** Texts of all scripts of this process, for loading them in advance. */
export const scriptTexts = new Set<() => string>();
