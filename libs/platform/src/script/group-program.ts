import { readFileSync } from "node:fs";
import { isList } from "./values.ts";
import { replyLines, localsOf, type LuaShape } from "./lua.ts";

/** Every script of this process whose calls run in groups. */
const grouped: LuaShape[] = [];
let written: { readonly count: number; readonly text: string } | undefined;

/** Adds a script to the program, and returns what it is called by there. Throws TypeError for one with lists. */
export function addToProgram(shape: LuaShape): string {
  const lists = [...shape.keys, ...Object.values(shape.args)].filter((each) => each.endsWith("[]"));
  if (lists.length > 0) throw new TypeError(`${shape.file.pathname}: a script with lists cannot be called in a group`);
  return String(grouped.push(shape));
}

/** The program of all grouped scripts; undefined where there are none. */
export function groupProgram(): string | undefined {
  if (grouped.length === 0) return undefined;
  if (written?.count !== grouped.length) written = { count: grouped.length, text: programOf(grouped) };
  return written.text;
}

/**
 * Writes one program of several scripts: its arguments are, for each call, the script's number and the call's own
 * arguments, its keys those of all calls in turn, its reply the list of theirs. A call that fails leaves the others alone,
 * but where Redis takes no writes at all, which the connection must see.
 */
function programOf(shapes: readonly LuaShape[]): string {
  const shared = new Set(shapes.flatMap((shape) => (shape.shared ?? []).map(String)));
  return [
    ...Array.from(shared, (file) => readFileSync(new URL(file), "utf8")),
    "local scripts = {}",
    ...shapes.flatMap(scriptLines),
    "local replies, key, argument = {}, 0, 0",
    "while argument < #ARGV do",
    "  local script = scripts[tonumber(ARGV[argument + 1])]",
    "  local done, reply = pcall(script.run, key, argument + 1)",
    "  if not done then",
    "    if type(reply) ~= 'table' then reply = {err = tostring(reply)} end",
    "    if string.find(reply.err, 'READONLY', 1, true) then return reply end",
    "  end",
    "  replies[#replies + 1] = reply",
    "  key, argument = key + script.keys, argument + 1 + script.arguments",
    "end",
    "return replies",
  ].join("\n");
}

function scriptLines(shape: LuaShape, at: number): readonly string[] {
  const replies = Object.entries(shape.replies).map(([verdict, kinds]) => [verdict, Object.entries(kinds)] as const);
  if (replies.some(([, kinds]) => kinds.some(([, kind]) => isList(kind))))
    throw new TypeError(`${shape.file.pathname}: a script that replies with lists cannot be called in a group`);
  return [
    "do",
    "local function main(key, argument)",
    ...localsOf(shape, { keys: "key + ", arguments: "argument + " }),
    readFileSync(shape.file, "utf8"),
    "end",
    `scripts[${at + 1}] = {keys = ${shape.keys.length}, arguments = ${Object.keys(shape.args).length},`,
    "run = function(key, argument)",
    "local reply = main(key, argument)",
    ...replies.flatMap(([verdict, kinds]) => replyLines(verdict, kinds)),
    "return reply",
    "end}",
    "end",
  ];
}
