import { answerJson, type EndpointHandler } from "@modelgate/platform";
import { readJson } from "@modelgate/relay";
import { askOfContent, askOfMessageCount, countedContent, isRecord } from "@modelgate/wires";
import { inputTokensOf, requestIn } from "../count-tokens.ts";
import type { Deps } from "../deps.ts";
import { modelIn } from "./generate-content.ts";
import { forwarded } from "./messages.ts";

/** POST /v1/messages/count_tokens. */
export function countMessageTokens(deps: Deps): EndpointHandler {
  return async (call) => {
    const forward = forwarded(call, "count-messages");
    using body = await readJson(call.request, deps.body, askOfMessageCount);
    const { bytes, seen: ask } = body;
    const tokens = await inputTokensOf(deps, call, {
      wire: "messages",
      counts: "count-messages",
      body: bytes,
      ask,
      forward,
      request: () => requestIn("messages", bytes, ask.model, { max_tokens: 1 }),
      read: (answer) => numberIn(answer, "input_tokens"),
    });
    answerJson(call.response, 200, { input_tokens: tokens });
  };
}

/** POST /v1beta/models/{model}:countTokens. */
export function countContentTokens(deps: Deps): EndpointHandler {
  return async (call) => {
    const model = modelIn(call);
    using body = await readJson(call.request, deps.body, (value) => {
      const counted = countedContent(value);
      return { ask: askOfContent(counted, { model, stream: false }), counted: counted === value ? undefined : counted };
    });
    const { ask, counted } = body.seen;
    const bytes = counted === undefined ? body.bytes : Buffer.from(JSON.stringify(counted));
    const tokens = await inputTokensOf(deps, call, {
      wire: "content",
      counts: "count-content",
      body: body.bytes,
      ask,
      request: () => requestIn("content", bytes, model),
      read: (answer) => numberIn(answer, "totalTokens"),
    });
    answerJson(call.response, 200, { totalTokens: tokens });
  };
}

function numberIn(answer: Buffer, name: string): number | undefined {
  const value: unknown = JSON.parse(answer.toString());
  const found = isRecord(value) ? value[name] : undefined;
  return typeof found === "number" ? found : undefined;
}
