import { decide } from "../../core/answer.ts";
import type { Asking, Endpoint, Understood } from "../../vendor.ts";
import { streamAnswer } from "./frames.ts";
import { readChat } from "./read.ts";
import { renderAnswer } from "./render.ts";

/** `POST /v1/chat/completions`. */
export const chatCompletions: Endpoint = {
  method: "POST",
  path: /^\/v1\/chat\/completions$/,
  open: ({ body }) => openChat(body),
};

/** The same by Azure's older addresses: the deployment is the model, and the API's version is a parameter. */
export const deploymentChat: Endpoint = {
  method: "POST",
  path: /^\/deployments\/([^/]+)\/chat\/completions$/,
  open: ({ body, groups: [deployment = ""] }: Asking) =>
    openChat(typeof body === "object" && body !== null ? { ...body, model: deployment } : body),
};

function openChat(body: unknown): Understood {
  const asked = readChat(body);
  const { question, stream } = asked;
  return {
    directive: question.directive,
    whole: (behaviour) => renderAnswer(asked, decide(question, behaviour)),
    streamed: stream ? (behaviour) => streamAnswer(asked, decide(question, behaviour), behaviour) : undefined,
  };
}
