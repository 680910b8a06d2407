import { failureFrames } from "@modelgate/contracts";
import {
  asRecord,
  isRecord,
  type JsonRecord,
  asRecords,
  memberOf,
  includesAny,
  membersOf,
  spliceInTurns,
  findMembersInTurns,
  memberInTurns,
} from "@modelgate/formats/json";
import { replaceFrameJson, parseFrameRecord } from "@modelgate/formats/sse";
import type { TextPass, EarlyEnd, EarlyEndOptions } from "../pass.ts";
import { plainFrame, renameAt, memberTextReader, endOfChunks, textFrom, frameIncludes } from "../pass.ts";
import { fitThinkingLevel, acceptsThinkingLevels } from "../hub/gemini.ts";
import { normalizeMediaTypes } from "../hub/sources.ts";
import { sseFraming } from "./client-stream.ts";
import { contentFees, contentUsage, renderUsage } from "./usage.ts";
import { requireCandidates, isBlocked, contentFinishReasons } from "./vendor-answer.ts";

const readFrameText = memberTextReader(["text", "name"]);

const mayBeLastFrame = frameIncludes('"finishReason"', '"blockReason"');

/** Matches frames with usage, a tool that the vendor ran, or a failure. */
const isParsedFrame = frameIncludes('"usageMetadata"', '"groundingMetadata"', '"executableCode"', '"error"');

const callMembers = ['"functionCall"', '"function_call"'].map((text) => Buffer.from(text));

const levelPaths = [
  ["generationConfig", "thinkingConfig", "thinkingLevel"],
  ["generation_config", "thinking_config", "thinking_level"],
  ["generationConfig", "thinking_config", "thinking_level"],
  ["generation_config", "thinkingConfig", "thinkingLevel"],
] as const;

const textMember = Buffer.from('"text"');

/** Forwarder of generated content. A stream ends when its connection ends. */
export const contentPass: TextPass = {
  /**
   * Returns false if a signature is missing: recent models require one on the first call of each step of the history.
   */
  *accepts(body, model) {
    if (!acceptsThinkingLevels(model) || !(yield* includesAny(body, ...callMembers))) return true;
    return signsFirstCalls(yield* memberInTurns(body, "contents"));
  },

  outputLimitOrder: () => [],

  *withOutputLimit(body, tokens) {
    yield* findMembersInTurns(body);
    const names = new Set(membersOf(body).map(({ name }) => name));
    const name = names.has("generation_config") ? "generation_config" : "generationConfig";
    const config = yield* memberInTurns(body, name);
    const { max_output_tokens: _none, ...rest } = asRecord(config);
    return yield* spliceInTurns(body, { [name]: JSON.stringify({ ...rest, maxOutputTokens: tokens }) });
  },

  /** Changes only media types, because the path contains the model. */
  upstreamBody: (body) => normalizeMediaTypes(body),

  fit: (body, { model }) => fitThinkingLevel(body, model, levelPaths),

  inspect(frame) {
    const ends = mayBeLastFrame(frame);
    if (!ends && !isParsedFrame(frame)) return plainFrame;
    const piece = parseFrameRecord(frame);
    if (piece === undefined) return plainFrame;
    return {
      usage: contentUsage(piece["usageMetadata"]),
      fees: contentFees(piece),
      usageOnly: false,
      done: ends && isLastChunk(piece),
      failed: isRecord(piece["error"]),
    };
  },
  dropsForeignSignatures: false,
  endsWithConnection: true,

  renameFrame: (frame, model) => replaceFrameJson(frame, (json) => renameAnswer(json, model)),
  renameAnswer,

  usage(answer) {
    if (!isBlocked(answer)) requireCandidates(answer);
    return contentUsage(answer["usageMetadata"]);
  },
  fees: contentFees,

  extractRawText: textFrom(textMember),
  extractText: readFrameText,
  showsReasoning: frameIncludes('"thought'),

  failureFrame: failureFrames.content,
  heartbeat: sseFraming().heartbeat(),
  earlyEnd: endContentEarly,
};

function memberInEitherSpelling(part: JsonRecord, camel: string, snake: string): unknown {
  return part[camel] ?? part[snake];
}

function signsFirstCalls(contents: unknown): boolean {
  if (!Array.isArray(contents)) return true;
  return contents.every((content: unknown) => {
    const parts = asRecords(memberOf(content, "parts"));
    const first = parts.find((part) => memberInEitherSpelling(part, "functionCall", "function_call") !== undefined);
    return first === undefined || memberInEitherSpelling(first, "thoughtSignature", "thought_signature") !== undefined;
  });
}

function renameAnswer(json: Buffer, model: string): Buffer {
  return renameAt(json, ["modelVersion"], model);
}

function isLastChunk({ candidates, promptFeedback }: JsonRecord): boolean {
  if (asRecords(candidates).some(({ finishReason }) => typeof finishReason === "string")) return true;
  return typeof memberOf(promptFeedback, "blockReason") === "string";
}

function endContentEarly(options: EarlyEndOptions): EarlyEnd {
  return endOfChunks(options, {
    list: "candidates",
    end: "finishReason",
    endBytes: Buffer.from('"finishReason"'),
    read: parseFrameRecord,
    frames({ modelVersion, responseId }, open, used) {
      const candidates = open.map((index) => ({
        content: { role: "model", parts: [] },
        finishReason: contentFinishReasons.length,
        index,
      }));
      const piece = { candidates, usageMetadata: renderUsage(used), modelVersion, responseId };
      return [`data: ${JSON.stringify(piece)}\r\n\r\n`];
    },
  });
}
