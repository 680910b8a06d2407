import type { IncomingHttpHeaders } from "node:http";
import { memberOf, textAt } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import type { Shape } from "../checks/shape.ts";
import { answerFor } from "../core/answer.ts";
import type { Question } from "../core/question.ts";
import { headerOf, type ParsedRequest } from "../vendor.ts";
import { bindingBeta, removedThinking, signThinking } from "./binding.ts";
import { streamMessage } from "./frames.ts";
import { readMessages } from "./read.ts";
import { renderMessage, type ReasoningOptions } from "./render.ts";
import { countShape, messagesShape } from "./shape.ts";
import { anthropicPlatform, requireKnownTools, type Platform } from "./tool-types.ts";
import { requireVersion } from "./version.ts";

/** Reads a request for a message. Throws a Refusal if it is invalid. */
export function openMessages(
  body: unknown,
  headers: IncomingHttpHeaders,
  stream: boolean,
  platform: Platform = anthropicPlatform,
): ParsedRequest {
  const question = readOn(platform, body, headers, messagesShape);
  const removed = removedThinking(body);
  const shown: ReasoningOptions = {
    omitted: textAt(memberOf(body, "thinking"), "display") === "omitted",
    sign: (thinking) => signThinking(body, thinking),
    inputTransformations: betasIn(headers).some((name) => name.startsWith(bindingBeta)) ? removed : undefined,
  };
  return {
    directive: question.directive,
    whole: (behaviour) => renderMessage(question.model, answerFor(question, behaviour), shown),
    streamed: stream
      ? (behaviour) => streamMessage(question.model, answerFor(question, behaviour), shown, behaviour)
      : undefined,
  };
}

/** Reads a request to count tokens. */
export function openCount(
  body: unknown,
  headers: IncomingHttpHeaders,
  platform: Platform = anthropicPlatform,
): ParsedRequest {
  const { promptTokens, directive } = readOn(platform, body, headers, countShape);
  return { directive, whole: () => ({ input_tokens: promptTokens }) };
}

function readOn(platform: Platform, body: unknown, headers: IncomingHttpHeaders, shape: Shape): Question {
  const betas = betasIn(headers);
  requireBetas(body, betas);
  requireVersion(body, headerOf(headers, "anthropic-version"));
  const question = readMessages(body, shape);
  requireKnownTools(body, platform, betas);
  return question;
}

function betasIn(headers: IncomingHttpHeaders): readonly string[] {
  return headerOf(headers, "anthropic-beta")
    .split(",")
    .map((name) => name.trim());
}

/** Members that require a beta feature, and the beginning of its name. */
const betaMembers: readonly (readonly [path: readonly string[], beta: string])[] = [
  [["context_management"], "context-management-"],
  [["thinking", "block_binding"], bindingBeta],
];

/** Refuses members of beta features that the request header does not name. */
function requireBetas(body: unknown, betas: readonly string[]): void {
  for (const [path, beta] of betaMembers)
    if (path.reduce(memberOf, body) !== undefined && !betas.some((name) => name.startsWith(beta)))
      throw new Refusal(400, "Extra inputs are not permitted", { path, problem: "unknown" });
}
