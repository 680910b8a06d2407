import { endUserOf } from "@modelgate/contracts";
import { memberOf, asRecords, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { eventStreamFraming, keepAlive } from "@modelgate/formats/sse";
import { createdId, type StoreDialect } from "../../vendor-stores/members.ts";
import { identifyMessagesDialogue, requestsReasoning } from "../dialogue.ts";
import type { TextWire, TokenCount } from "../hub/wire.ts";
import { renderAnswer } from "./client-answer.ts";
import { readParams, inspectedMembers, parseRequest, readCountParams } from "./client-request.ts";
import { MessagesWriter } from "./client-stream.ts";
import { messagesPass } from "./pass.ts";
import { requestedFees, capTools } from "./usage.ts";
import { parseAnswer } from "./vendor-answer.ts";
import { fieldSupport, renderRequest } from "./vendor-request.ts";
import { MessagesReader } from "./vendor-stream.ts";

/** Rules for finding objects in the vendor's store. An answer may create a container, and files that its code wrote. */
const stores = {
  opaque: ["input", "input_schema", "input_examples", "schema", "json_schema", "metadata"],
  created: {
    needles: ['"container"', '"file_id"'],
    isRequested: ({ container, tools }) =>
      (container ?? undefined) !== undefined ||
      asRecords(tools).some(({ type }) => typeof type === "string" && type !== "custom"),
    read(answer) {
      const message = isRecord(answer["message"]) ? answer["message"] : answer;
      const blocks = [...asRecords(message["content"]), answer["content_block"]].filter(isRecord);
      return [
        ...createdId("container", memberOf(message["container"], "id")),
        ...createdId("container", memberOf(memberOf(answer["delta"], "container"), "id")),
        ...blocks
          .filter(isFromCode)
          .flatMap(({ content }) => asRecords(memberOf(content, "content")))
          .flatMap((output) => createdId("file", output["file_id"])),
      ];
    },
  },
} as const satisfies StoreDialect;

/** Endpoint that counts input tokens. The parser requires `max_tokens`, which such a request lacks. */
const countTokens: TokenCount = {
  wire: "count-messages",
  readParams: readCountParams,
  countBody: (body) => ({ ...body, max_tokens: 1 }),
  read: ({ input_tokens: tokens }) => (typeof tokens === "number" ? tokens : undefined),
  render: (tokens) => ({ input_tokens: tokens }),
};

export const messagesWire = {
  name: "messages",
  framing: eventStreamFraming,
  isFirstEvent,
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: messagesPass.usage,
    fees: messagesPass.fees,
    stream: () => new MessagesReader(),
    requestedFees,
    fields: fieldSupport,
    capTools,
    raisedOutputLimit: "max_tokens",
  },
  client: {
    read: parseRequest,
    render: renderAnswer,
    stream: (context) => new MessagesWriter(context),
    spelling: fieldSupport.spelling,
    readParams,
    inspectedMembers,
    answerPrefix: "msg_",
    stores,
    endUser: ({ metadata }) => endUserOf(memberOf(metadata, "user_id")),
    // A comment, because a ping is allowed only after the first event of a stream.
    keepAlive,
    failureFrame: messagesPass.failureFrame,
    dialogue: identifyMessagesDialogue,
    requestsReasoning,
    count: countTokens,
  },
  pass: messagesPass,
} as const satisfies TextWire<"messages">;

function isFirstEvent({ type, message }: JsonRecord): boolean {
  if (type === "message_start") return isRecord(message);
  return typeof type === "string" && /^(?:ping$|message_|content_block_)/.test(type);
}

/**
 * Returns true for a result of code execution. Only in such results, the ids of files come from the vendor. Other
 * results may contain ids from third parties.
 */
function isFromCode({ type }: JsonRecord): boolean {
  return typeof type === "string" && type.endsWith("code_execution_tool_result");
}
