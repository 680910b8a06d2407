import { keepAlive, replaceFrameJson, parseFrameRecord } from "@modelgate/formats/sse";
import { failureFrames } from "@modelgate/contracts";
import {
  asRecord,
  isRecord,
  type JsonRecord,
  membersOf,
  parseMember,
  spliceInTurns,
  findMembersInTurns,
} from "@modelgate/formats/json";
import { renderEvent } from "../../kind/index.ts";
import { acceptsNewestFields, fitToModel, extensionMembers, refusesUnknownFields } from "../hub/openai-models.ts";
import type { TextPass, EarlyEnd, EarlyEndOptions } from "../pass.ts";
import {
  plainFrame,
  renameAt,
  memberTextReader,
  endOfChunks,
  textFrom,
  frameIncludes,
  indexOfFirst,
  lowerIndex,
} from "../pass.ts";
import { hasUnsupportedMessage } from "./dialect.ts";
import { chatFees, readUsage, renderUsage } from "./usage.ts";
import { answeredChoices, failureOf } from "./vendor-answer.ts";

const readDeltaText = memberTextReader(
  "content reasoning_content reasoning refusal name arguments text thinking".split(" "),
);

const usageMember = Buffer.from('usage"');
const nullMember = Buffer.from(":null");
const doneMarker = Buffer.from("[DONE]");
const errorMember = Buffer.from('"error"');
const deltaMember = Buffer.from('"delta"');
const finishMember = Buffer.from('"finish_reason":"');
const indexOfMark = indexOfFirst('error"', 'finish_reason":"', "DONE]");

export const chatPass: TextPass = {
  *accepts(body, model) {
    if (!refusesUnknownFields(model)) return true;
    if (yield* hasUnsupportedMessage(body, { reasoningMember: "none" })) return false;
    yield* findMembersInTurns(body);
    return !membersOf(body).some(({ name }) => extensionMembers.has(name));
  },

  outputLimitOrder: (model) =>
    acceptsNewestFields(model) ? ["max_completion_tokens", "max_tokens"] : ["max_tokens", "max_completion_tokens"],

  *upstreamBody(body, { model, reportUsage }) {
    if (model === undefined && !reportUsage) return body;
    yield* findMembersInTurns(body);
    const members = membersOf(body);
    const values: Record<string, string> = {};
    if (model !== undefined) values["model"] = JSON.stringify(model);
    // Only the member is parsed, because parsing a large body again would take long.
    const options = reportUsage ? asRecord(parseMember(body, "stream_options", members)) : undefined;
    if (options !== undefined) values["stream_options"] = JSON.stringify({ ...options, include_usage: true });
    return yield* spliceInTurns(body, values, members);
  },

  fit: (body, { model }) => fitToModel(body, model, "chat"),

  /** Searches most frames only for three byte sequences, which is faster than to parse them. */
  inspect(frame) {
    if (frame.length < 40 && frame.includes(doneMarker)) return { ...plainFrame, done: true };
    const usage = indexOfUsage(frame) >= 0;
    if (!usage && !frame.includes(errorMember)) return plainFrame;
    const chunk = parseFrameRecord(frame);
    if (chunk === undefined) return plainFrame;
    const choices = chunk["choices"];
    return {
      usage: readUsage(chunk),
      fees: usage ? chatFees(chunk) : undefined,
      // Some vendors end with a chunk that has usage but no `choices`. Clients' SDKs cannot parse such a chunk.
      usageOnly:
        (choices === undefined || (Array.isArray(choices) && choices.length === 0)) && isRecord(chunk["usage"]),
      done: false,
      failure: isRecord(chunk["error"]) ? failureOf(chunk) : undefined,
    };
  },
  /**
   * The patterns have no opening quotes: quotes are frequent in JSON, and a search for them would take twice as long.
   */
  indexOfNotable: (frames) => lowerIndex(indexOfMark(frames), indexOfUsage(frames)),
  dropsForeignSignatures: false,
  endsWithConnection: false,

  renameFrame: (frame, model) => replaceFrameJson(frame, (json) => renameAnswer(json, model)),
  renameAnswer,

  usage(answer) {
    answeredChoices(answer);
    return readUsage(answer);
  },
  fees: chatFees,

  extractRawText: textFrom(deltaMember),
  extractText: readDeltaText,
  showsReasoning: frameIncludes('"reasoning', '"thinking', '"thought'),

  failureFrame: failureFrames.chat,
  heartbeat: keepAlive,
  earlyEnd: endChunksEarly,
};

/**
 * Returns the index of the first usage in frames, or -1. With `include_usage`, OpenAI sends `"usage":null` in all frames
 * but the last.
 */
function indexOfUsage(frames: Buffer): number {
  let at = frames.indexOf(usageMember);
  while (at >= 0) {
    const value = at + usageMember.length;
    if (frames.indexOf(nullMember, value) !== value) return at;
    at = frames.indexOf(usageMember, value);
  }
  return -1;
}

function renameAnswer(json: Buffer, model: string): Buffer {
  return renameAt(json, ["model"], model);
}

/** Members of the last chunk of a choice that ends at the output limit. */
const chatEnd = { delta: {}, logprobs: null, finish_reason: "length" };

/** Ends a stream of chunks early. */
export function endChunksEarly(options: EarlyEndOptions, end: JsonRecord = chatEnd): EarlyEnd {
  return endOfChunks(options, {
    list: "choices",
    end: "finish_reason",
    endBytes: finishMember,
    read(bytes) {
      const chunk = parseFrameRecord(bytes);
      return Array.isArray(chunk?.["choices"]) ? chunk : undefined;
    },
    frames(template, open, units) {
      const { id, object, created, model } = template;
      const head = { id, object, created, model };
      const noUsage = options.includeUsage ? { usage: null } : {};
      const ends = open.map((index) => renderEvent({ ...head, choices: [{ index, ...end }], ...noUsage }));
      const usage = options.includeUsage ? [renderEvent({ ...head, choices: [], usage: renderUsage(units) })] : [];
      return [...ends, ...usage, "data: [DONE]\n\n"];
    },
  });
}
