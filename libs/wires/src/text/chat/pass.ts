import { renderFailure, type Units } from "@modelgate/contracts";
import { membersOf, type Member } from "../../json/members.ts";
import { spliceMembers } from "../../json/splice.ts";
import type { PassCodec, SeenFrame } from "../pass.ts";
import { chatUsage } from "./usage.ts";

const usageWord = Buffer.from('"usage"');
const doneWord = Buffer.from("[DONE]");
const errorWord = Buffer.from('"error"');
const deltaWord = Buffer.from('"delta"');
const plain: SeenFrame = { usageOnly: false, done: false, failed: false };

/** Up to the opening quote of what a model wrote. */
const openingOfWords = /"(?:content|reasoning_content|reasoning|refusal|name|arguments)"\s*:\s*"/g;

/** Chat completions, passed through. */
export const chatPass: PassCodec = {
  upstreamBody(body, { model, reportUsage }) {
    if (model === undefined && !reportUsage) return body;
    const members = membersOf(body);
    const values: Record<string, string> = {};
    if (model !== undefined) values["model"] = JSON.stringify(model);
    if (reportUsage)
      values["stream_options"] = JSON.stringify({ ...streamOptions(body, members), include_usage: true });
    return spliceMembers(body, values, members);
  },

  /** Most frames are passed over after a search for three words. */
  see(frame) {
    if (frame.length < 40 && frame.includes(doneWord)) return { ...plain, done: true };
    const usage = frame.includes(usageWord);
    if (!usage && !frame.includes(errorWord)) return plain;
    const chunk = parsed(frame);
    if (chunk === undefined) return plain;
    const choices = chunk["choices"];
    return {
      usage: chatUsage(chunk["usage"]) ?? usageInChoice(choices),
      usageOnly: Array.isArray(choices) && choices.length === 0 && isObject(chunk["usage"]),
      done: false,
      failed: isObject(chunk["error"]),
    };
  },

  renameFrame(frame, model) {
    const [start, end] = objectIn(frame);
    if (end <= start || parsed(frame) === undefined) return frame;
    return Buffer.concat([frame.subarray(0, start), named(frame.subarray(start, end), model), frame.subarray(end)]);
  },
  renameAnswer: named,

  answerUsage(answer): Units | undefined {
    // The answer's own member, wherever it stands: the same word may stand in what the model wrote.
    if (!answer.includes(usageWord)) return undefined;
    try {
      const usage = membersOf(answer).findLast(({ name }) => name === "usage");
      return usage === undefined ? undefined : chatUsage(JSON.parse(answer.toString("utf8", usage.start, usage.end)));
    } catch {
      return undefined;
    }
  },

  written(frame) {
    const at = frame.indexOf(deltaWord);
    return at < 0 ? "" : frame.toString("utf8", at, frame.lastIndexOf(0x7d));
  },

  wordsOf(raw) {
    const words: string[] = [];
    // Each literal's end is looked for by hand: an expression over a literal of megabytes overflows its stack.
    for (const match of raw.matchAll(openingOfWords)) {
      const open = match.index + match[0].length - 1;
      words.push(literalText(raw.slice(open, endOfLiteral(raw, open))));
    }
    return words.join("");
  },

  failureFrame: (failure, requestId) => `data: ${JSON.stringify(renderFailure("common", failure, requestId))}\n\n`,
  heartbeat: ": keep-alive\n\n",
};

/** Some vendors report usage inside the last choice instead of beside it. */
function usageInChoice(choices: unknown): Units | undefined {
  const [first]: readonly unknown[] = Array.isArray(choices) ? choices : [];
  return isObject(first) ? chatUsage(first["usage"]) : undefined;
}

function named(json: Buffer, model: string): Buffer {
  return spliceMembers(json, { model: JSON.stringify(model) });
}

function literalText(literal: string): string {
  try {
    const text: unknown = JSON.parse(literal);
    return typeof text === "string" ? text : "";
  } catch {
    return literal;
  }
}

/** Only that member is parsed: a second look at a whole body of megabytes would cost every stream milliseconds. */
function streamOptions(body: Buffer, members: readonly Member[]): object {
  const member = members.findLast(({ name }) => name === "stream_options");
  if (member === undefined) return {};
  const options: unknown = JSON.parse(body.toString("utf8", member.start, member.end));
  return isObject(options) ? options : {};
}

/** The index after the closing quote of the literal that opens at `open`, or the text's end. */
function endOfLiteral(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Where the JSON object of a frame's data stands. */
function objectIn(frame: Buffer): readonly [number, number] {
  const start = frame.indexOf(0x7b);
  return [start, start < 0 ? -1 : frame.lastIndexOf(0x7d) + 1];
}

function parsed(frame: Buffer): Readonly<Record<string, unknown>> | undefined {
  const [start, end] = objectIn(frame);
  if (end <= start) return undefined;
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
