import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import { eventStreamFraming } from "@modelgate/formats/sse";
import { identifyDialogue, type Dialogue } from "../dialogue.ts";
import type { TextWire, TokenCount } from "../hub/wire.ts";
import { renderAnswer } from "./client-answer.ts";
import { readParams, inspectedMembers, parseRequest, contentToCount } from "./client-request.ts";
import { arrayFraming, sseFraming, ContentWriter } from "./client-stream.ts";
import { contentStoreDialect } from "./sources.ts";
import { contentPass } from "./pass.ts";
import { requestsReasoning } from "./thinking.ts";
import { requestedFees } from "./usage.ts";
import { parseAnswer } from "./vendor-answer.ts";
import { fieldSupport, renderRequest } from "./vendor-request.ts";
import { ContentReader } from "./vendor-stream.ts";

/** Counts the input tokens of contents or of a complete request. */
const countTokens: TokenCount = {
  wire: "count-content",
  readParams: (body, path) => readParams(isRecord(body) ? contentToCount(body) : body, path),
  countBody: contentToCount,
  read: ({ totalTokens: tokens }) => (typeof tokens === "number" ? tokens : undefined),
  render: (tokens) => ({ totalTokens: tokens }),
};

/** Gemini's content generation (generateContent and streamGenerateContent). */
export const contentWire = {
  name: "content",
  framing: eventStreamFraming,
  isFirstEvent: isStreamStart,
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: contentPass.usage,
    fees: contentPass.fees,
    stream: () => new ContentReader(),
    requestedFees,
    fields: fieldSupport,
  },
  client: {
    read: parseRequest,
    render: renderAnswer,
    stream: (context) => new ContentWriter(context, sseFraming()),
    spelling: fieldSupport.spelling,
    readParams,
    inspectedMembers,
    answerPrefix: "",
    stores: contentStoreDialect,
    keepAlive: contentPass.heartbeat,
    failureFrame: contentPass.failureFrame,
    dialogue: readDialogue,
    requestsReasoning,
    array: { framing: arrayFraming, stream: (context) => new ContentWriter(context, arrayFraming()) },
    count: countTokens,
  },
  pass: contentPass,
} as const satisfies TextWire<"content">;

function isStreamStart(event: JsonRecord): boolean {
  const { error, promptFeedback, usageMetadata } = event;
  const candidates = event["candidates"] ?? undefined;
  if (isRecord(error)) return false;
  // A blocked prompt has no candidates, and some pieces only report usage.
  if (candidates === undefined) return isRecord(promptFeedback) || isRecord(usageMetadata);
  return Array.isArray(candidates) && candidates.every(isRecord);
}

function readDialogue(body: JsonRecord): Dialogue {
  const instructions = body["systemInstruction"] ?? body["system_instruction"];
  return identifyDialogue(body, { instructions, turns: body["contents"] }, ({ role }) => role === "model");
}
