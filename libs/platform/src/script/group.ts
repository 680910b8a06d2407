import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Cluster, Command } from "ioredis";
import type { Redis } from "../redis.ts";
import { localsOf, replyLines, scriptTexts, type LuaShape } from "./lua.ts";
import { isListKind } from "./values.ts";

interface GroupedCall {
  readonly script: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum number of calls in one group. Redis runs no other command meanwhile. */
const maxGroupSize = 64;

interface WaitingCalls {
  slots: Map<string, GroupedCall[]> | undefined;
}

const waitingByConnection = new WeakMap<Redis, WaitingCalls>();

/**
 * Calls a grouped script. All such calls in one turn of the event loop are sent as one command. This adds no delay,
 * because commands are always written at the end of the turn.
 */
export function callInGroup(
  redis: Redis,
  script: string,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  let waiting = waitingByConnection.get(redis);
  if (waiting === undefined) waitingByConnection.set(redis, (waiting = { slots: undefined }));
  if (waiting.slots === undefined) {
    waiting.slots = new Map();
    setImmediate(sendAll, redis, waiting);
  }
  const slot = redis instanceof Cluster ? hashTag(keys[0] ?? "") : "";
  const call = { script, keys, args, resolve, reject };
  const group = waiting.slots.get(slot);
  if (group === undefined) waiting.slots.set(slot, [call]);
  else if (group.push(call) === maxGroupSize) {
    waiting.slots.delete(slot);
    void sendGroup(redis, group);
  }
  return promise;
}

/** Returns the hash tag of a key, which all keys of a call share. */
function hashTag(key: string): string {
  return key.slice(key.indexOf("{") + 1, key.indexOf("}"));
}

function sendAll(redis: Redis, waiting: WaitingCalls): void {
  const { slots } = waiting;
  waiting.slots = undefined;
  for (const group of slots?.values() ?? []) void sendGroup(redis, group);
}

async function sendGroup(redis: Redis, group: readonly GroupedCall[]): Promise<void> {
  try {
    const { digest, text } = groupProgram();
    let replies: unknown;
    try {
      replies = await redis.sendCommand(new GroupCommand("evalsha", digest, group));
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      replies = await redis.sendCommand(new GroupCommand("eval", text, group));
    }
    if (!Array.isArray(replies)) throw new TypeError("the reply to a group of calls is not a list");
    for (let index = 0; index < group.length; index++) {
      const reply: unknown = replies[index];
      if (reply instanceof Error) group[index]?.reject(reply);
      else group[index]?.resolve(reply);
    }
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** Length prefixes of the Redis protocol (`$5`), rendered in advance for speed. */
const lengthPrefixes: readonly string[] = Array.from({ length: 256 }, (_, bytes) => `$${bytes}`);

/**
 * Command that runs a group of calls. It is rendered in one step, because ioredis appends word by word. ioredis gets
 * only the first key, by which it finds the node of a cluster.
 */
class GroupCommand extends Command {
  readonly #program: string;
  readonly #group: readonly GroupedCall[];

  constructor(name: "eval" | "evalsha", program: string, group: readonly GroupedCall[]) {
    super(name, [program, "1", group[0]?.keys[0] ?? ""], { replyEncoding: "utf8" });
    this.#program = program;
    this.#group = group;
  }

  override toWritable(): string {
    let [keyCount, wordCount] = [0, 3];
    for (const { keys, args } of this.#group) {
      keyCount += keys.length;
      wordCount += keys.length + 1 + args.length;
    }
    // A list that grows would be copied several times.
    const lines = Array.from<string>({ length: 2 * wordCount + 2 });
    let position = 0;
    lines[position++] = `*${wordCount}`;
    const add = (word: string): void => {
      const bytes = Buffer.byteLength(word);
      lines[position++] = lengthPrefixes[bytes] ?? `$${bytes}`;
      lines[position++] = word;
    };
    add(this.name);
    add(this.#program);
    add(String(keyCount));
    for (const { keys } of this.#group) for (const key of keys) add(key);
    for (const { script, args } of this.#group) {
      add(script);
      for (const argument of args) add(argument);
    }
    lines[position] = "";
    return lines.join("\r\n");
  }
}

const groupedScripts: LuaShape[] = [];

interface GroupProgram {
  readonly count: number;
  readonly text: string;
  readonly digest: string;
}

let cachedProgram: GroupProgram | undefined;

/** Adds a script to the group program, and returns its number. Throws TypeError for a script with lists. */
export function addToProgram(shape: LuaShape): string {
  const lists = [...shape.keys, ...Object.values(shape.args)].filter((each) => each.endsWith("[]"));
  if (lists.length > 0) throw new TypeError(`${shape.file.pathname}: a script with lists cannot be called in a group`);
  scriptTexts.add(programText);
  return String(groupedScripts.push(shape));
}

function programText(): string {
  return groupProgram().text;
}

function groupProgram(): GroupProgram {
  if (cachedProgram?.count === groupedScripts.length) return cachedProgram;
  const text = programOf(groupedScripts);
  cachedProgram = { count: groupedScripts.length, text, digest: createHash("sha1").update(text).digest("hex") };
  return cachedProgram;
}

/**
 * Renders one Lua program for all grouped scripts. The error of one call is its reply, and the other calls still run.
 * Only READONLY ends the program, because the client must reconnect then.
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

function scriptLines(shape: LuaShape, index: number): readonly string[] {
  const replies = Object.entries(shape.replies).map(([verdict, kinds]) => [verdict, Object.entries(kinds)] as const);
  if (replies.some(([, kinds]) => kinds.some(([, kind]) => isListKind(kind))))
    throw new TypeError(`${shape.file.pathname}: a script that replies with lists cannot be called in a group`);
  return [
    "do",
    "local function main(key, argument)",
    ...localsOf(shape, { keys: "key + ", arguments: "argument + " }),
    readFileSync(shape.file, "utf8"),
    "end",
    `scripts[${index + 1}] = {keys = ${shape.keys.length}, arguments = ${Object.keys(shape.args).length},`,
    "run = function(key, argument)",
    "local reply = main(key, argument)",
    ...replies.flatMap(([verdict, kinds]) => replyLines(verdict, kinds)),
    "return reply",
    "end}",
    "end",
  ];
}
