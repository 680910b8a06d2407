import { createHash } from "node:crypto";
import { Cluster, Command } from "ioredis";
import type { Redis } from "../redis.ts";
import { groupProgram } from "./group-program.ts";

/** One call of a script, on its way into a group. */
interface GroupedCall {
  readonly script: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum calls of a group: Redis does nothing else while it runs one. */
const maxTogether = 64;

/** The calls of a connection that wait for the end of the tick, by slot; a new map for each tick. */
interface Waiting {
  slots: Map<string, GroupedCall[]> | undefined;
}

const waiting = new WeakMap<Redis, Waiting>();

/**
 * Calls a script of the group program. What is called in one turn of the event loop runs together, as one command: Redis does
 * each call as if it had come alone, in the order of calling, for a part of what a command costs both sides. Nothing waits
 * longer for it: commands are written at the end of the turn in any case.
 */
export function callInGroup(redis: Redis, call: Pick<GroupedCall, "script" | "keys" | "args">): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const slots = slotsOf(redis);
    const slot = slotOf(redis, call.keys);
    const group = slots.get(slot);
    const added = { ...call, resolve, reject };
    if (group === undefined) slots.set(slot, [added]);
    else if (group.push(added) === maxTogether) {
      slots.delete(slot);
      void send(redis, group);
    }
  });
}

/** Returns the slot that calls of one group share: in a cluster the hash tag of their keys, else "". */
function slotOf(redis: Redis, [key = ""]: readonly string[]): string {
  return redis instanceof Cluster ? key.slice(key.indexOf("{") + 1, key.indexOf("}")) : "";
}

/** Returns the waiting calls of this tick; the first one schedules the sending of all of them. */
function slotsOf(redis: Redis): Map<string, GroupedCall[]> {
  let known = waiting.get(redis);
  if (known === undefined) waiting.set(redis, (known = { slots: undefined }));
  if (known.slots === undefined) {
    known.slots = new Map();
    setImmediate(sendAll, redis, known);
  }
  return known.slots;
}

function sendAll(redis: Redis, known: Waiting): void {
  const { slots } = known;
  known.slots = undefined;
  for (const group of slots?.values() ?? []) void send(redis, group);
}

async function send(redis: Redis, group: readonly GroupedCall[]): Promise<void> {
  try {
    const replies = await run(redis, group);
    group.forEach(({ resolve, reject }, at) => {
      const reply = replies[at];
      if (reply instanceof Error) reject(reply);
      else resolve(reply);
    });
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** Runs the program: by digest, sending its text only where the server does not know it yet. */
async function run(redis: Redis, group: readonly GroupedCall[]): Promise<readonly unknown[]> {
  const text = groupProgram() ?? "";
  try {
    return listOf(await written(redis, "evalsha", wordsOf(digestOf(text), group)));
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
    return listOf(await written(redis, "eval", wordsOf(text, group)));
  }
}

/** The words of the command: the program, the keys of all calls, then each call's script and arguments. */
function wordsOf(program: string, group: readonly GroupedCall[]): string[] {
  const words = [program, ""];
  for (const { keys } of group) for (const key of keys) words.push(key);
  words[1] = String(words.length - 2);
  for (const { script, args } of group) {
    words.push(script);
    for (const argument of args) words.push(argument);
  }
  return words;
}

/** A command of text alone, put together at once: ioredis adds each word to those before it. */
class TextCommand extends Command {
  override toWritable(): string {
    const lines = [`*${this.args.length + 1}`, `$${this.name.length}`, this.name];
    for (const word of this.args) {
      const text = String(word);
      lines.push(`$${Buffer.byteLength(text)}`, text);
    }
    lines.push("");
    return lines.join("\r\n");
  }
}

/** Writes a command at once: it has waited for the end of the turn already. */
function written(redis: Redis, name: string, args: string[]): Promise<unknown> {
  return Promise.resolve(redis.sendCommand(new TextCommand(name, args, { replyEncoding: "utf8" })));
}

function listOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new TypeError("the reply to a group of calls is not a list");
  return reply;
}

let known: { readonly text: string; readonly digest: string } | undefined;

function digestOf(text: string): string {
  if (known?.text !== text) known = { text, digest: createHash("sha1").update(text).digest("hex") };
  return known.digest;
}
