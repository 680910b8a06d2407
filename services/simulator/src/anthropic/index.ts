import { memberOf, textAt } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import { decide } from "../core/answer.ts";
import { freshId } from "../core/ids.ts";
import { createVendor, headerOf, isBadKey, type Endpoint, type Vendor } from "../vendor.ts";
import { renderError, requestIdHeader } from "./errors.ts";
import { streamMessage } from "./frames.ts";
import { readMessages } from "./read.ts";
import { renderMessage } from "./render.ts";
import { countShape, messagesShape } from "./shape.ts";

const messages: Endpoint = {
  method: "POST",
  path: /^\/v1\/messages$/,
  open({ body }) {
    const question = readMessages(body, messagesShape);
    const shown = { omitted: textAt(memberOf(body, "thinking"), "display") === "omitted" };
    return {
      directive: question.directive,
      whole: (behaviour) => renderMessage(question.model, decide(question, behaviour), shown),
      streamed:
        memberOf(body, "stream") === true
          ? (behaviour) => streamMessage(question.model, decide(question, behaviour), shown, behaviour)
          : undefined,
    };
  },
};

const countTokens: Endpoint = {
  method: "POST",
  path: /^\/v1\/messages\/count_tokens$/,
  open({ body }) {
    const { promptTokens, directive } = readMessages(body, countShape);
    return { directive, whole: () => ({ input_tokens: promptTokens }) };
  },
};

/** The newest is what the official SDK asks for since its 1.0. */
const versions = ["2023-01-01", "2023-06-01", "2026-10-21"];

/** The vendor of the messages wire, under `/anthropic`. */
export const anthropic: Vendor = createVendor({
  prefix: "/anthropic",
  endpoints: [messages, countTokens],
  admit({ headers }) {
    const key = headerOf(headers, "x-api-key");
    if (key === "") throw new Refusal(401, "The header x-api-key is required.");
    if (isBadKey(key)) throw new Refusal(401, "The x-api-key is not a valid one.");
    const version = headerOf(headers, "anthropic-version");
    if (!versions.includes(version))
      throw new Refusal(400, `The header anthropic-version must be one of ${versions.join(", ")}.`);
    return key;
  },
  headers: () => ({ [requestIdHeader]: freshId("req_") }),
  renderError,
});
