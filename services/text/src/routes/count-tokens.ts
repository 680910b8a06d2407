import { answerJson, type EndpointHandler } from "@modelgate/platform";
import { readJson, renderJson } from "@modelgate/relay";
import { isRecord } from "@modelgate/wires/json";
import { askOfContent, askOfMessageCount, countedContent } from "@modelgate/wires/text";
import { inputTokensOf, requestIn } from "../count-tokens.ts";
import type { Deps } from "../deps.ts";
import { modelIn } from "./generate-content.ts";
import { admitStoreUse, storeUseOf, withStoreUse } from "../vendor-ids.ts";
import { forwarded } from "./messages.ts";

/** POST /v1/messages/count_tokens. */
export function countMessageTokens(deps: Deps): EndpointHandler {
  return async (call) => {
    const forward = forwarded(call, "count-messages");
    using body = await readJson(call, deps.body, withStoreUse(deps, "messages", askOfMessageCount));
    const { bytes, seen: ask } = body;
    const { place } = await admitStoreUse(deps, call, ask);
    const tokens = await inputTokensOf(deps, call, {
      wire: "messages",
      counts: "count-messages",
      body: bytes,
      ask,
      forward,
      prefer: place,
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
    using body = await readJson(call, deps.body, async (value) => {
      const counted = countedContent(value);
      const ask = askOfContent(counted, { model, stream: false });
      return { ask, counted: counted === value ? undefined : counted, ...(await storeUseOf(deps, "content", value)) };
    });
    const { ask, counted } = body.seen;
    const { place } = await admitStoreUse(deps, call, body.seen);
    const bytes = counted === undefined ? body.bytes : await renderJson(counted, body.bytes.length);
    const tokens = await inputTokensOf(deps, call, {
      wire: "content",
      counts: "count-content",
      body: body.bytes,
      ask,
      prefer: place,
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
