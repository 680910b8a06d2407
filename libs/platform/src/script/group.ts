import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Cluster, Command } from "ioredis";
import type { Redis } from "../redis.ts";
import { localsOf, replyLines, scriptTexts, type LuaShape } from "./lua.ts";
import { isList } from "./values.ts";

/** One call of a script that waits for its group. */
interface GroupedCall {
  readonly script: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum calls of a group, because Redis does nothing else while it runs one. */
const maxTogether = 64;

/** Calls of a connection that wait for the end of the event loop's turn, by slot; a new map for each turn. */
interface Waiting {
  slots: Map<string, GroupedCall[]> | undefined;
}

const waiting = new WeakMap<Redis, Waiting>();

/**
 * Calls a script of the group program. Calls in one turn of the event loop are sent together, as one command. Redis
 * executes them one by one in the order of calling, for a fraction of the cost of separate commands. This adds no
 * delay: commands are written at the end of the turn in any case.
 */
export function callInGroup(
  redis: Redis,
  script: string,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  let known = waiting.get(redis);
  if (known === undefined) waiting.set(redis, (known = { slots: undefined }));
  if (known.slots === undefined) {
    known.slots = new Map();
    setImmediate(sendAll, redis, known);
  }
  const slot = redis instanceof Cluster ? hashTag(keys[0] ?? "") : "";
  const call = { script, keys, args, resolve, reject };
  const group = known.slots.get(slot);
  if (group === undefined) known.slots.set(slot, [call]);
  else if (group.push(call) === maxTogether) {
    known.slots.delete(slot);
    void send(redis, group);
  }
  return promise;
}

/** Returns the hash tag of a key, which all keys of a call share. */
function hashTag(key: string): string {
  return key.slice(key.indexOf("{") + 1, key.indexOf("}"));
}

function sendAll(redis: Redis, known: Waiting): void {
  const { slots } = known;
  known.slots = undefined;
  for (const group of slots?.values() ?? []) void send(redis, group);
}

/**
 * Runs a group. The words of its command are the program, the keys of all calls, then each call's script and arguments.
 */
async function send(redis: Redis, group: readonly GroupedCall[]): Promise<void> {
  const words = ["", ""];
  for (const { keys } of group) for (const key of keys) words.push(key);
  words[1] = String(words.length - 2);
  for (const { script, args } of group) {
    words.push(script);
    for (const argument of args) words.push(argument);
  }
  try {
    const replies = await run(redis, words);
    if (!Array.isArray(replies)) throw new TypeError("the reply to a group of calls is not a list");
    for (let at = 0; at < group.length; at++) {
      const reply: unknown = replies[at];
      if (reply instanceof Error) group[at]?.reject(reply);
      else group[at]?.resolve(reply);
    }
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** Runs the program: by digest, sending its text only if the server does not know it yet. */
async function run(redis: Redis, words: string[]): Promise<unknown> {
  const program = groupProgram();
  words[0] = program.digest;
  try {
    return await redis.sendCommand(new TextCommand("evalsha", words, { replyEncoding: "utf8" }));
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
    words[0] = program.text;
    return await redis.sendCommand(new TextCommand("eval", words, { replyEncoding: "utf8" }));
  }
}

/** Length prefixes of short words in the Redis protocol: a command has dozens. */
const heads: readonly string[] = Array.from({ length: 256 }, (_, bytes) => `$${bytes}`);

/** A command of text only, rendered in one step: ioredis would append word by word. */
class TextCommand extends Command {
  override toWritable(): string {
    const lines = [`*${this.args.length + 1}`, `$${this.name.length}`, this.name];
    for (const word of this.args) {
      const text = String(word);
      const bytes = Buffer.byteLength(text);
      lines.push(heads[bytes] ?? `$${bytes}`, text);
    }
    lines.push("");
    return lines.join("\r\n");
  }
}

/** Scripts of this process whose calls are sent in groups. */
const grouped: LuaShape[] = [];

/** Lua program that contains all grouped scripts: their number, its text, and its SHA-1 digest for EVALSHA. */
interface GroupProgram {
  readonly count: number;
  readonly text: string;
  readonly digest: string;
}

let written: GroupProgram | undefined;

/** Adds a script to the program, and returns its number there. Throws TypeError for a script with lists. */
export function addToProgram(shape: LuaShape): string {
  const lists = [...shape.keys, ...Object.values(shape.args)].filter((each) => each.endsWith("[]"));
  if (lists.length > 0) throw new TypeError(`${shape.file.pathname}: a script with lists cannot be called in a group`);
  scriptTexts.add(programText);
  return String(grouped.push(shape));
}

function programText(): string {
  return groupProgram().text;
}

/** Returns the program of all grouped scripts. */
function groupProgram(): GroupProgram {
  if (written?.count === grouped.length) return written;
  const text = programOf(grouped);
  written = { count: grouped.length, text, digest: createHash("sha1").update(text).digest("hex") };
  return written;
}

/**
 * Renders one program of several scripts. Its arguments are, for each call, the script's number and the call's
 * arguments; its keys are those of all calls in order; its reply is the list of theirs. A failed call does not affect
 * the others, except if Redis accepts no writes, which the connection must see.
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
