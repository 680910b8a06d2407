import { readEndUser, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { eventStreamFraming } from "@modelgate/formats/sse";
import { requestsReasoning, identifyDialogue, type Dialogue } from "../dialogue.ts";
import type { TextWire, TokenCount } from "../hub/wire.ts";
import { renderAnswer } from "./client-answer.ts";
import { readParams, inspectedMembers, parseRequest } from "./client-request.ts";
import { ResponsesWriter } from "./client-stream.ts";
import { responsesPass } from "./pass.ts";
import { stores } from "./stores.ts";
import { requestedFees, capTools } from "./usage.ts";
import { parseAnswer } from "./vendor-answer.ts";
import { fieldSupport, minOutputTokens, renderRequest } from "./vendor-request.ts";
import { ResponsesReader } from "./vendor-stream.ts";

/** Endpoint that counts the input tokens of a response request. */
const countTokens: TokenCount = {
  wire: "count-responses",
  readParams,
  countBody: (body) => body,
  read: ({ input_tokens: tokens }) => (typeof tokens === "number" ? tokens : undefined),
  render: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};

export const responsesWire = {
  name: "responses",
  framing: eventStreamFraming,
  isFirstEvent,
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: responsesPass.usage,
    fees: responsesPass.fees,
    stream: () => new ResponsesReader(),
    requestedFees,
    fields: fieldSupport,
    minOutputLimit: minOutputTokens,
    capTools,
  },
  client: {
    read: parseRequest,
    render: renderAnswer,
    stream: (context) => new ResponsesWriter(context),
    spelling: {
      ...fieldSupport.spelling,
      presencePenalty: "presence_penalty",
      frequencyPenalty: "frequency_penalty",
    },
    readParams,
    inspectedMembers,
    answerPrefix: "resp_",
    stores,
    endUser: readEndUser,
    keepAlive: responsesPass.heartbeat,
    failureFrame: responsesPass.failureFrame,
    dialogue: readDialogue,
    count: countTokens,
    requestsReasoning,
  },
  pass: responsesPass,
} as const satisfies TextWire<"responses">;

const failures: readonly unknown[] = ["error", "response.failed"];

const typesWithResponse = /^response\.(?:created|queued|in_progress|completed|incomplete)$/;

/** Returns true if an event can be the first one of a stream. */
function isFirstEvent({ type, response }: JsonRecord): boolean {
  if (typeof type !== "string" || failures.includes(type)) return false;
  return !typesWithResponse.test(type) || isRecord(response);
}

/** Types of items other than messages that the model creates. */
const answerTypes: ReadonlySet<unknown> = new Set([
  "function_call",
  "custom_tool_call",
  "reasoning",
  "web_search_call",
]);

/** Reads the conversation of a request. Instructions are ignored, because clients may change them from turn to turn. */
function readDialogue(body: JsonRecord): Dialogue {
  const { input } = body;
  const turns = typeof input === "string" ? [{ content: input }] : input;
  return identifyDialogue(body, { turns }, ({ role, type }) => role === "assistant" || answerTypes.has(type));
}
