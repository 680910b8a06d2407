import { isListKind, luaExpressionOf, type Kind } from "./values.ts";

export interface LuaShape {
  readonly file: URL;
  readonly shared?: readonly URL[] | undefined;
  readonly keys: readonly string[];
  readonly args: Readonly<Record<string, Kind>>;
  readonly replies: Readonly<Record<string, Readonly<Record<string, Kind>>>>;
}

/**
 * Renders the complete text of a script: shared functions, the .lua file as a function, and the conversion of its reply
 * to a list.
 */
export function scriptText(shape: LuaShape, read: (file: URL) => string): string {
  return [
    ...(shape.shared ?? []).map(read),
    "local function main()", // the variables are local to this function, because upvalues are slower
    ...localsOf(shape, { keys: "", arguments: "" }),
    read(shape.file),
    "end",
    "local reply = main()",
    ...Object.entries(shape.replies).flatMap(([verdict, kinds]) => replyLines(verdict, Object.entries(kinds))),
    "return reply",
  ].join("\n");
}

/**
 * Renders a local variable for each key and argument. `before` is Lua code in front of their numbers, for example
 * `first + `.
 */
export function localsOf(
  shape: LuaShape,
  before: { readonly keys: string; readonly arguments: string },
): readonly string[] {
  return [
    ...shape.keys.map((name, index) =>
      localOf(name, name.endsWith("[]"), `KEYS[${before.keys}`, index + 1, (key) => key),
    ),
    ...Object.entries(shape.args).map(([name, kind], index) =>
      localOf(name, isListKind(kind), `ARGV[${before.arguments}`, index + 1, (argument) =>
        luaExpressionOf(kind, argument),
      ),
    ),
  ];
}

function localOf(name: string, list: boolean, from: string, index: number, expression: (of: string) => string): string {
  if (!list) return `local ${name} = ${expression(`${from}${index}]`)}`;
  const plain = name.replace(/\[\]$/, "");
  return `local ${plain} = {}; for at = ${index}, #${from.replace(/\[.*/, "")} do ${plain}[at - ${index - 1}] = ${expression(`${from}at]`)} end`;
}

/** Renders the Lua code that converts a reply with names to the list that Redis returns. */
export function replyLines(verdict: string, values: readonly (readonly [string, Kind])[]): readonly string[] {
  if (values.length === 0) return [];
  const single = values.filter(([, kind]) => !isListKind(kind));
  const list = values.find(([, kind]) => isListKind(kind))?.[0];
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

/** Functions that return the texts of scripts, to load these in advance. */
export const scriptTexts = new Set<() => string>();
