import { memberOf, textAt } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import { decide } from "../core/answer.ts";
import { freshId } from "../core/ids.ts";
import { createVendor, headerOf, isBadKey, type Endpoint, type Vendor } from "../vendor.ts";
import { demandBetas } from "./betas.ts";
import { renderError, requestIdHeader } from "./errors.ts";
import { streamMessage } from "./frames.ts";
import { readMessages } from "./read.ts";
import { renderMessage } from "./render.ts";
import { countShape, messagesShape } from "./shape.ts";

const messages: Endpoint = {
  method: "POST",
  path: /^\/v1\/messages$/,
  open({ body, headers }) {
    demandBetas(body, headers);
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

/** Any date: which versions there are is the vendor's to say, and its SDKs move on. */
const version = /^\d{4}-\d\d-\d\d$/;

/** The vendor of the messages wire, under `/anthropic`. */
export const anthropic: Vendor = createVendor({
  prefix: "/anthropic",
  endpoints: [messages, countTokens],
  admit({ headers }) {
    const key = headerOf(headers, "x-api-key");
    if (key === "") throw new Refusal(401, "The header x-api-key is required.");
    if (isBadKey(key)) throw new Refusal(401, "The x-api-key is not a valid one.");
    if (!version.test(headerOf(headers, "anthropic-version")))
      throw new Refusal(400, "The header anthropic-version is required; it is a date such as 2023-06-01.");
    return key;
  },
  headers: () => ({ [requestIdHeader]: freshId("req_") }),
  renderError,
});
