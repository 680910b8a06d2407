import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import { readJson, reparseJson, runCall } from "@modelgate/relay";
import {
  textCodecs,
  vendorCodec,
  wiresServing,
  type AnswerContext,
  type JsonObject,
  type TextAnswer,
} from "@modelgate/wires/text";
import type { ResponsesDeps } from "../deps.ts";
import { compactExchange, type Compaction } from "../compaction/compaction.ts";
import { itemsOf } from "../conversation.ts";
import { nativeCompact } from "../compaction/native-compaction.ts";
import { prepareResponses, readResponses } from "../prepare.ts";
import { summaryTokens } from "../compaction/summary.ts";
import { newAnswerId, planText, type AskedText } from "../../text-call.ts";

/** POST /v1/responses/compact (interface endpoint 5): the vendor's own where it has one, else the model sums up. */
export function compactResponse(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, readResponses(deps, call));
    const prepared = await prepareResponses(deps, call, body);
    const ask = { ...prepared.ask, stream: false, maxOutputTokens: summaryTokens };
    const answerId = newAnswerId(deps, "responses");
    const compaction = await compactionOf(deps, call, prepared.body, answerId);
    const asked: AskedText = {
      wire: "responses",
      body: prepared.body,
      ask,
      answerId,
      admitted: prepared.admitted,
      // A vendor's own compaction takes no bound.
      boundIsOurs: true,
      wires: ["compact", ...wiresServing("responses")],
      unsealable: false,
      async exchange({ route: { wire, candidate }, fees }) {
        const { upstreamModel } = candidate;
        if (wire !== "compact") return await compactExchange(compaction, vendorCodec(wire), upstreamModel);
        const how = { model: ask.model, upstreamModel, tiers: ask.fees?.tiers ?? [] };
        return fees.checked(await nativeCompact(prepared.body, how));
      },
    };
    await runCall(deps.relay, call, ask.model, (serving) => planText(deps, call, asked, serving));
  };
}

async function compactionOf(
  deps: ResponsesDeps,
  call: ServiceCall,
  body: Buffer,
  answerId: string,
): Promise<Compaction> {
  const asked = await reparseJson(body);
  const items = itemsOf(asked["input"]);
  return {
    model: String(asked["model"]),
    stream: false,
    instructions: typeof asked["instructions"] === "string" ? asked["instructions"] : undefined,
    items,
    seal: (summary) => deps.compactions.seal(call.caller.accountId, summary),
    answerId,
    asked,
    askedBytes: body.length,
    render: (answer, sealed, context) => compactedConversation(items, answer, sealed, context),
  };
}

/** Characters of the user's own words that stay as they are, newest first: about 20,000 tokens. */
const mostKept = 80_000;

/** The user's messages as they were, as far as they fit, and behind them the sealed summary of everything. */
function compactedConversation(
  items: readonly JsonObject[],
  answer: TextAnswer,
  sealed: string,
  context: AnswerContext,
): JsonObject {
  const id = context.answerId.replace(/^resp_/, "");
  const kept = lastMessages(items).map((item, at) => ({
    type: "message",
    id: `msg_${id}_${at}`,
    status: "completed",
    role: "user",
    content: typeof item["content"] === "string" ? [{ type: "input_text", text: item["content"] }] : item["content"],
  }));
  const rendered = textCodecs.responses.client.render({ ...answer, choices: [{ parts: [], finish: "stop" }] }, context);
  return {
    id: context.answerId,
    object: "response.compaction",
    created_at: context.now,
    output: [...kept, { type: "compaction", id: `cmp_${id}`, encrypted_content: sealed }],
    usage: rendered["usage"] ?? null,
  };
}

function lastMessages(items: readonly JsonObject[]): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  let characters = 0;
  for (const item of items.toReversed()) {
    if (item["role"] !== "user" || (item["type"] ?? "message") !== "message") continue;
    characters += JSON.stringify(item["content"]).length;
    if (characters > mostKept) break;
    kept.unshift(item);
  }
  return kept;
}
