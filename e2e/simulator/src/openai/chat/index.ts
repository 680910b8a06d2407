import { answerFor } from "../../core/answer.ts";
import type { EndpointCall, Endpoint, ParsedRequest } from "../../vendor.ts";
import { streamAnswer } from "./frames.ts";
import { readChat } from "./read.ts";
import { renderAnswer } from "./render.ts";

export const chatCompletions: Endpoint = {
  method: "POST",
  path: /^\/v1\/chat\/completions$/,
  open: ({ body }) => openChat(body),
};

/** Azure's older address of chat completions. The deployment in the path names the model. */
export const deploymentChat: Endpoint = {
  method: "POST",
  path: /^\/deployments\/([^/]+)\/chat\/completions$/,
  open: ({ body, groups: [deployment = ""] }: EndpointCall) =>
    openChat(typeof body === "object" && body !== null ? { ...body, model: deployment } : body),
};

function openChat(body: unknown): ParsedRequest {
  const parsed = readChat(body);
  const { question, stream } = parsed;
  return {
    directive: question.directive,
    whole: (behaviour) => renderAnswer(parsed, answerFor(question, behaviour)),
    streamed: stream ? (behaviour) => streamAnswer(parsed, answerFor(question, behaviour), behaviour) : undefined,
  };
}
