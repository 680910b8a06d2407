import type { ServerResponse } from "node:http";
import type { Behaviour } from "../behaviour.ts";
import type { Vendor } from "../vendor.ts";
import { streamFrames } from "../stream.ts";
import { readChat } from "./chat.ts";
import { renderAnswer, renderError, renderFrames } from "./render.ts";

/** The openai-compatible vendor: chat completions and a model list under `/openai/v1`. */
export const openai: Vendor = {
  prefix: "/openai/v1",
  async answer({ method, path, key, body, behaviour: scripted, response }) {
    if (key.startsWith("bad-"))
      return refuse(response, 401, { errorCode: "invalid_api_key", errorMessage: "Incorrect API key provided." });
    if (method === "GET" && path === "/models")
      return answerJson(response, 200, {
        object: "list",
        data: [{ id: "demo-chat", object: "model", created: 1_735_689_600, owned_by: "simulator" }],
      });
    if (method !== "POST" || path !== "/chat/completions")
      return refuse(response, 404, { errorMessage: `Unknown request URL: ${method} ${path}.` });
    const asked = readChat(parsed(body));
    if (asked.wrong !== undefined) return refuse(response, 400, { errorMessage: asked.wrong });
    const behaviour = scripted ?? asked.directive ?? {};
    if (behaviour.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, behaviour.delayMs));
    if (behaviour.closeBeforeHead === true) return void response.socket?.resetAndDestroy();
    if (behaviour.status !== undefined) return refuse(response, behaviour.status, behaviour);
    if (behaviour.malformed === true)
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end("<html>not what you asked for</html>");
    if (asked.stream) return streamFrames(response, renderFrames(asked, behaviour), behaviour);
    answerJson(response, 200, renderAnswer(asked, behaviour));
  },
};

function refuse(response: ServerResponse, status: number, { errorCode, errorMessage, retryAfter }: Behaviour): void {
  if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
  answerJson(response, status, renderError(status, errorCode, errorMessage));
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
    .end(text);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
