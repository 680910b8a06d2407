import { Refusal } from "../checks/refusal.ts";
import { answerFor } from "../core/answer.ts";
import { createVendor, type Endpoint, type Vendor } from "../vendor.ts";
import { authenticate } from "./admit.ts";
import { headers, renderError } from "./errors.ts";
import { invoke } from "./invoke.ts";
import { readConverse } from "./read.ts";
import { renderConverse, streamConverse } from "./render.ts";

const converse: Endpoint = {
  method: "POST",
  path: /^\/model\/([^/]+)\/converse(-stream)?$/,
  open({ body, groups: [model = "", streamed] }) {
    requireModelName(model);
    const question = readConverse(body, model);
    return {
      directive: question.directive,
      whole: (behaviour) => renderConverse(answerFor(question, behaviour)),
      streamed:
        streamed === "-stream" ? (behaviour) => streamConverse(answerFor(question, behaviour), behaviour) : undefined,
    };
  },
};

const invokeModel: Endpoint = {
  method: "POST",
  path: /^\/model\/([^/]+)\/invoke(-with-response-stream)?$/,
  open({ body, groups: [model = "", streamed] }) {
    requireModelName(model);
    return invoke(body, model, streamed === "-with-response-stream");
  },
};

function requireModelName(model: string): void {
  if (!/^(?:[a-z0-9-]+\.)+[\w:.-]+$|^arn:/.test(model))
    throw new Refusal(400, "The provided model identifier is invalid.");
}

export const bedrock: Vendor = createVendor({
  prefix: "/bedrock",
  endpoints: [converse, invokeModel],
  authenticate: authenticate,
  headers,
  renderError,
});
