import { answerJson, type EndpointHandler } from "@modelgate/platform";
import { resolveServingModel } from "@modelgate/relay";
import { renderLoaded, wires } from "@modelgate/wires/text";
import type { Deps } from "../deps.ts";
import { readText } from "../read-text.ts";
import { runText, TextCallKind } from "../text-kind.ts";

/** POST /api/chat, of Ollama's clients. */
export function ollamaChat(deps: Deps): EndpointHandler {
  return ollamaHandler(deps, "ollama-chat");
}

/** POST /api/generate, of Ollama's clients. */
export function ollamaGenerate(deps: Deps): EndpointHandler {
  return ollamaHandler(deps, "ollama-generate");
}

/** Handles a request. A request without messages or prompt asks to load the model; the answer says that the model is loaded. */
function ollamaHandler(deps: Deps, wire: "ollama-chat" | "ollama-generate"): EndpointHandler {
  const kind = new TextCallKind(deps);
  return async (call) => {
    using body = await readText(deps, call, wires[wire].client);
    const { model, isEmpty } = body.inspected;
    if (!isEmpty) return await runText(kind, call, { wire, body: body.bytes, params: body.inspected });
    resolveServingModel(deps.relay, call, model);
    answerJson(call.response, 200, renderLoaded(wire, { model, now: Math.floor(Date.now() / 1_000) }));
  };
}
