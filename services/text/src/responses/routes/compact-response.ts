import { channelKeyIdOf } from "@modelgate/channels";
import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import {
  readJson,
  reparseJson,
  runCall,
  type Call,
  type CallKind,
  type Exchange,
  type ServingModel,
  type WireRoute,
} from "@modelgate/relay";
import { wires, vendorTextWire, type AnswerContext, type JsonObject, type TextAnswer } from "@modelgate/wires/text";
import type { ResponsesDeps } from "../deps.ts";
import { compactExchange, type Compaction } from "../compaction/compaction.ts";
import { itemsOf } from "../conversation.ts";
import { vendorCompactionExchange } from "../compaction/native-compaction.ts";
import { prepareResponses, responsesParser } from "../prepare.ts";
import { summaryTokens } from "../compaction/summary.ts";
import { foreignItems } from "../../vendor-ids.ts";
import { newAnswerId, TextCallKind, type TextInput, type TextPlan } from "../../text-kind.ts";

/** POST /v1/responses/compact. Without a vendor's endpoint for compaction, the model writes a summary. */
export function compactResponse(deps: ResponsesDeps): EndpointHandler {
  const kind = new CompactKind(deps);
  return async (call) => {
    using body = await readJson(call, deps.body, responsesParser(deps, call));
    const { admitted, params: turn, body: bytes } = await prepareResponses(deps, call, body);
    const params = { ...turn, stream: false, maxOutputTokens: summaryTokens };
    const answerId = newAnswerId(deps, "responses");
    const { model } = params;
    await runCall(deps.relay, call, kind, {
      model,
      input: { model, wire: "responses", body: bytes, params, answerId, admitted, asArray: false, forward: undefined },
      compaction: await compactionOf(deps, call, bytes, answerId),
    });
  };
}

interface CompactRequest {
  readonly model: string;
  readonly input: TextInput;
  readonly compaction: Compaction;
}

interface CompactPlan extends TextPlan {
  readonly compaction: Compaction;
}

/** Kind of call: compaction, by the vendor's endpoint or by a model that writes a summary. */
class CompactKind implements CallKind<CompactRequest, CompactPlan> {
  readonly #text: TextCallKind;

  constructor(deps: ResponsesDeps) {
    this.#text = new TextCallKind(deps);
  }

  async plan(call: Call, { input, compaction }: CompactRequest, serving: ServingModel): Promise<CompactPlan> {
    const text = await this.#text.plan(call, input, serving);
    return {
      ...text,
      compaction,
      // A vendor's endpoint for compaction accepts no output limit.
      cost: { ...text.cost, size: { ...text.cost.size, isHoldOnlyBound: true } },
      wires: ["compact", ...text.wires],
      canDropSignatures: false,
    };
  }

  async exchange({ input, compaction, fees }: CompactPlan, route: WireRoute): Promise<Exchange> {
    const { wire, candidate } = route;
    const { upstreamModel } = candidate;
    if (wire !== "compact") return await compactExchange(compaction, vendorTextWire(wire), upstreamModel);
    const target = { model: upstreamModel, foreignItems: foreignItems(input.admitted, channelKeyIdOf(route)) };
    const options = { model: input.model, target, fees: input.params.fees ?? { tools: [], tiers: [] } };
    return fees.checkExchange(await vendorCompactionExchange(input.body, options));
  }
}

async function compactionOf(
  deps: ResponsesDeps,
  call: ServiceCall,
  body: Buffer,
  answerId: string,
): Promise<Compaction> {
  const requestBody = await reparseJson(body);
  const items = itemsOf(requestBody["input"]);
  return {
    model: String(requestBody["model"]),
    stream: false,
    instructions: typeof requestBody["instructions"] === "string" ? requestBody["instructions"] : undefined,
    items,
    encrypt: (summary) => deps.compactions.encrypt(call.caller.accountId, summary),
    answerId,
    requestBody,
    requestBytes: body.length,
    render: (answer, encrypted, context) => renderCompactedConversation(items, answer, encrypted, context),
  };
}

/** Maximum characters of the latest user messages that are repeated verbatim; about 20,000 tokens. */
const maxVerbatimCharacters = 80_000;

/** Returns the latest user messages verbatim, up to the limit, followed by the encrypted summary of all items. */
function renderCompactedConversation(
  items: readonly JsonObject[],
  answer: TextAnswer,
  encrypted: string,
  context: AnswerContext,
): JsonObject {
  const id = context.answerId.replace(/^resp_/, "");
  const verbatimMessages = lastMessages(items).map((item, index) => ({
    type: "message",
    id: `msg_${id}_${index}`,
    status: "completed",
    role: "user",
    content: typeof item["content"] === "string" ? [{ type: "input_text", text: item["content"] }] : item["content"],
  }));
  const rendered = wires.responses.client.render({ ...answer, choices: [{ parts: [], finish: "stop" }] }, context);
  return {
    id: context.answerId,
    object: "response.compaction",
    created_at: context.now,
    output: [...verbatimMessages, { type: "compaction", id: `cmp_${id}`, encrypted_content: encrypted }],
    usage: rendered["usage"] ?? null,
  };
}

function lastMessages(items: readonly JsonObject[]): readonly JsonObject[] {
  const last: JsonObject[] = [];
  let characters = 0;
  for (const item of items.toReversed()) {
    const [type, content] = [item["type"] ?? "message", item["content"] ?? undefined];
    if (type !== "message" || item["role"] !== "user" || content === undefined) continue;
    characters += JSON.stringify(content).length;
    if (characters > maxVerbatimCharacters) break;
    last.unshift(item);
  }
  return last;
}
