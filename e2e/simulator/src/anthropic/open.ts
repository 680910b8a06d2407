import type { IncomingHttpHeaders } from "node:http";
import { memberOf, textAt } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import { decide } from "../core/answer.ts";
import { headerOf, type Understood } from "../vendor.ts";
import { streamMessage } from "./frames.ts";
import { readMessages } from "./read.ts";
import { renderMessage } from "./render.ts";
import { countShape, messagesShape } from "./shape.ts";

/** Opens a request for a message, at any vendor that has this model. Throws a Refusal. */
export function openMessages(body: unknown, headers: IncomingHttpHeaders, stream: boolean): Understood {
  demandBetas(body, headers);
  const question = readMessages(body, messagesShape);
  const shown = { omitted: textAt(memberOf(body, "thinking"), "display") === "omitted" };
  return {
    directive: question.directive,
    whole: (behaviour) => renderMessage(question.model, decide(question, behaviour), shown),
    streamed: stream
      ? (behaviour) => streamMessage(question.model, decide(question, behaviour), shown, behaviour)
      : undefined,
  };
}

/** Opens a request to count tokens. */
export function openCount(body: unknown): Understood {
  const { promptTokens, directive } = readMessages(body, countShape);
  return { directive, whole: () => ({ input_tokens: promptTokens }) };
}

/** Fields that the vendor takes of those only who ask for the beta that they belong to, by how its name begins. */
const betaOf: Readonly<Record<string, string>> = { context_management: "context-management-" };

/** Refuses a beta's field where the header does not ask for that beta. */
function demandBetas(body: unknown, headers: IncomingHttpHeaders): void {
  const asked = headerOf(headers, "anthropic-beta").split(",");
  for (const [field, beta] of Object.entries(betaOf))
    if (memberOf(body, field) !== undefined && !asked.some((name) => name.trim().startsWith(beta)))
      throw new Refusal(400, `There is no parameter '${field}'.`, { path: [field], problem: "unknown" });
}
