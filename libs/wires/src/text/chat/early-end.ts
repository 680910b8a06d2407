import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { endOfChunks, type EarlyEnd, type EarlyEndOptions } from "../early-end.ts";
import { parseFrameRecord } from "../../sse/frame-json.ts";
import { renderUsage } from "./usage.ts";

/** How a choice says that it reached its bound, without its index. */
const chatEnd = { delta: {}, logprobs: null, finish_reason: "length" };

/** Ends a stream of chunks early: each open choice by a chunk of its own, the usage where it was asked for, `[DONE]`. */
export function endChunksEarly(options: EarlyEndOptions, end: JsonRecord = chatEnd): EarlyEnd {
  const frame = (json: JsonRecord): string => `data: ${JSON.stringify(json)}\n\n`;
  return endOfChunks<JsonRecord>(options, {
    endWord: Buffer.from('"finish_reason":"'),
    read(bytes) {
      const chunk = parseFrameRecord(bytes);
      return Array.isArray(chunk?.["choices"]) ? chunk : undefined;
    },
    ends: (chunk) => indexesOf(chunk["choices"], "finish_reason"),
    frames(like, open, used) {
      const { id, object, created, model } = like;
      const head = { id, object, created, model };
      const noUsage = options.includeUsage ? { usage: null } : {};
      const ends = open.map((index) => frame({ ...head, choices: [{ index, ...end }], ...noUsage }));
      const usage = options.includeUsage ? [frame({ ...head, choices: [], usage: renderUsage(used) })] : [];
      return [...ends, ...usage, "data: [DONE]\n\n"];
    },
  });
}

/** Indexes of the answers in a list that have their end under a name. */
export function indexesOf(list: unknown, end: string): readonly number[] {
  const all: readonly unknown[] = Array.isArray(list) ? list : [];
  return all.flatMap((each) => {
    if (!isRecord(each) || typeof each[end] !== "string") return [];
    return [typeof each["index"] === "number" ? each["index"] : 0];
  });
}
