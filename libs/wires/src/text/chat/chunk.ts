import type { Units } from "@modelgate/contracts";
import { spliceMembers } from "../../json/splice.ts";
import { chatUsage } from "./usage.ts";

/** What a passing chat chunk says that the gateway must know. */
export interface SeenChunk {
  readonly usage?: Units | undefined;
  /** The extra chunk that carries usage and no choice; hidden from a client that did not ask for it. */
  readonly usageOnly: boolean;
  /** `[DONE]`. */
  readonly done: boolean;
  /** The vendor says in the stream that it failed. */
  readonly failed: boolean;
}

const usageWord = Buffer.from('"usage":{');
const usageWordSpaced = Buffer.from('"usage": {');
const doneWord = Buffer.from("[DONE]");
const errorWord = Buffer.from('"error"');
const plain: SeenChunk = { usageOnly: false, done: false, failed: false };

/** Looks at one frame of a chat stream. Most frames are passed over after a search for three words. */
export function seeChunk(frame: Buffer): SeenChunk {
  if (frame.length < 40 && frame.includes(doneWord)) return { ...plain, done: true };
  const usage = frame.includes(usageWord) || frame.includes(usageWordSpaced);
  if (!usage && !frame.includes(errorWord)) return plain;
  const chunk = parsed(frame);
  if (chunk === undefined) return plain;
  const choices = chunk["choices"];
  return {
    usage: chatUsage(chunk["usage"]),
    usageOnly: usage && Array.isArray(choices) && choices.length === 0,
    done: false,
    failed: typeof chunk["error"] === "object" && chunk["error"] !== null,
  };
}

/** The same frame under the client's name of the model. */
export function renameChunk(frame: Buffer, model: string): Buffer {
  const [start, end] = [frame.indexOf(0x7b), frame.lastIndexOf(0x7d) + 1];
  if (start < 0 || end <= start || parsed(frame) === undefined) return frame;
  return Buffer.concat([
    frame.subarray(0, start),
    spliceMembers(frame.subarray(start, end), { model: JSON.stringify(model) }),
    frame.subarray(end),
  ]);
}

/** Text that a chunk adds to the answer, for counting where the vendor reports no usage. */
export function textOfChunk(frame: Buffer): string {
  const choices = parsed(frame)?.["choices"];
  if (!Array.isArray(choices)) return "";
  return choices.map((choice: unknown) => textIn(choice, "delta")).join("");
}

/** Text of a whole answer's choices, likewise. */
export function textOfAnswer(answer: Readonly<Record<string, unknown>>): string {
  const choices = answer["choices"];
  return Array.isArray(choices) ? choices.map((choice: unknown) => textIn(choice, "message")).join("") : "";
}

/** All words that a choice holds, wherever they stand: content, reasoning, refusals, tool names and arguments. */
function textIn(choice: unknown, member: string): string {
  if (!isObject(choice)) return "";
  const words: string[] = [];
  collect(choice[member], words);
  return words.join("");
}

const notProduced = new Set(["role", "id", "type"]);

function collect(value: unknown, words: string[]): void {
  if (typeof value === "string") words.push(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, words);
  else if (isObject(value))
    for (const [name, item] of Object.entries(value)) if (!notProduced.has(name)) collect(item, words);
}

function parsed(frame: Buffer): Readonly<Record<string, unknown>> | undefined {
  const [start, end] = [frame.indexOf(0x7b), frame.lastIndexOf(0x7d) + 1];
  if (start < 0 || end <= start) return undefined;
  try {
    const value: unknown = JSON.parse(frame.toString("utf8", start, end));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
