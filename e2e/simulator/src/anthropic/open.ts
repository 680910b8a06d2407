import type { IncomingHttpHeaders } from "node:http";
import { memberOf, textAt } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import { answerFor } from "../core/answer.ts";
import { headerOf, type ParsedRequest } from "../vendor.ts";
import { streamMessage } from "./frames.ts";
import { readMessages } from "./read.ts";
import { renderMessage } from "./render.ts";
import { countShape, messagesShape } from "./shape.ts";

/** Reads a request for a message, for any vendor that serves this model. Throws a Refusal. */
export function openMessages(body: unknown, headers: IncomingHttpHeaders, stream: boolean): ParsedRequest {
  requireBetas(body, headers);
  const question = readMessages(body, messagesShape);
  const shown = { omitted: textAt(memberOf(body, "thinking"), "display") === "omitted" };
  return {
    directive: question.directive,
    whole: (behaviour) => renderMessage(question.model, answerFor(question, behaviour), shown),
    streamed: stream
      ? (behaviour) => streamMessage(question.model, answerFor(question, behaviour), shown, behaviour)
      : undefined,
  };
}

/** Reads a request to count tokens. */
export function openCount(body: unknown): ParsedRequest {
  const { promptTokens, directive } = readMessages(body, countShape);
  return { directive, whole: () => ({ input_tokens: promptTokens }) };
}

/** Fields that require a beta feature, with the beginning of that feature's name. */
const betaOf: Readonly<Record<string, string>> = { context_management: "context-management-" };

/** Refuses a field of a beta feature if the request header does not name that feature. */
function requireBetas(body: unknown, headers: IncomingHttpHeaders): void {
  const betas = headerOf(headers, "anthropic-beta").split(",");
  for (const [field, beta] of Object.entries(betaOf))
    if (memberOf(body, field) !== undefined && !betas.some((name) => name.trim().startsWith(beta)))
      throw new Refusal(400, `There is no parameter '${field}'.`, { path: [field], problem: "unknown" });
}
