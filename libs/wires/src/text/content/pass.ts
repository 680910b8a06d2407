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
  stringifyInTurns,
} from "@modelgate/formats/json";
import { replaceFrameJson, parseFrameRecord } from "@modelgate/formats/sse";
import type { TextPass, EarlyEnd, EarlyEndOptions } from "../pass.ts";
import { plainFrame, renameAt, memberTextReader, endOfChunks, textFrom, frameIncludes } from "../pass.ts";
import { fitThinkingLevel, acceptsThinkingLevels } from "../hub/gemini.ts";
import { normalizeMediaTypes } from "../hub/sources.ts";
import { emptyCandidate, sseFraming } from "./client-stream.ts";
import { contentFees, contentUsage, renderUsage } from "./usage.ts";
import { requireCandidates, isBlocked, contentFinishReasons } from "./vendor-answer.ts";
import { failureOf } from "./vendor-stream.ts";
import { withDummySignature } from "./vendor-turns.ts";

const readFrameText = memberTextReader(["text", "name"]);

const mayBeLastFrame = frameIncludes('"finishReason"', '"blockReason"');

/** Matches frames with usage, a tool that the vendor ran, or a failure. */
const isParsedFrame = frameIncludes('"usageMetadata"', '"groundingMetadata"', '"error"');

const callMembers = ['"functionCall"', '"function_call"'].map((text) => Buffer.from(text));

/** Empty texts as JavaScript and Python write them. */
const emptyTexts = ['"text":""', '"text": ""'].map((text) => Buffer.from(text));

const levelPaths = [
  ["generationConfig", "thinkingConfig", "thinkingLevel"],
  ["generation_config", "thinking_config", "thinking_level"],
  ["generationConfig", "thinking_config", "thinking_level"],
  ["generation_config", "thinkingConfig", "thinkingLevel"],
] as const;

const textMember = Buffer.from('"text"');

/** Forwarder of generated content. A stream ends when its connection ends. */
export const contentPass: TextPass = {
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

  *fit(body, { model }) {
    return yield* fitThinkingLevel(yield* fitContents(body, model), model, levelPaths);
  },

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
      failure: isRecord(piece["error"]) ? failureOf(piece["error"]) : undefined,
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

/**
 * Removes the model's empty texts without a signature, and adds missing signatures. SDKs store pieces of a stream without
 * text, such as heartbeats, and send them back, but the vendor refuses empty texts. Recent models require a signature on
 * the first call of each step of the history.
 */
function* fitContents(body: Buffer, model: string): Generator<undefined, Buffer> {
  const hasEmptyTexts = yield* includesAny(body, ...emptyTexts);
  const needsSignatures = acceptsThinkingLevels(model) && (yield* includesAny(body, ...callMembers));
  if (!hasEmptyTexts && !needsSignatures) return body;
  const contents = yield* memberInTurns(body, "contents");
  if (!Array.isArray(contents)) return body;
  let isChanged = false;
  const fitted = contents.flatMap((content: unknown) => {
    const parts = memberOf(content, "parts");
    if (!Array.isArray(parts)) return [content];
    const isFilled = memberOf(content, "role") !== "model" || !parts.some(isEmptyText);
    const filled = asRecords(isFilled ? parts : parts.filter((part) => !isEmptyText(part)));
    const signed = needsSignatures ? withDummySignature(filled) : filled;
    if (isFilled && signed === filled) return [content];
    isChanged = true;
    return signed.length === 0 ? [] : [{ ...asRecord(content), parts: signed }];
  });
  return isChanged ? yield* spliceInTurns(body, { contents: yield* stringifyInTurns(fitted) }) : body;
}

function isEmptyText(part: unknown): boolean {
  return (
    isRecord(part) && part["text"] === "" && Object.keys(part).every((name) => name === "text" || name === "thought")
  );
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
        ...emptyCandidate(index),
        finishReason: contentFinishReasons.length,
      }));
      const piece = { candidates, usageMetadata: renderUsage(used), modelVersion, responseId };
      return [`data: ${JSON.stringify(piece)}\r\n\r\n`];
    },
  });
}
