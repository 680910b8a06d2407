import { type EndpointHandler, idsOf, type ServiceCall } from "@modelgate/platform";
import { readJson, reparseJson, runCall, type Answered } from "@modelgate/relay";
import { vendorCodec } from "@modelgate/wires/text";
import type { Deps } from "../deps.ts";
import { responseIn } from "../responses/answered-response.ts";
import { compactedTurn, compactExchange } from "../exchanges/compaction.ts";
import { itemsOf } from "../responses/conversation.ts";
import { prepareResponses, readResponses, type PreparedResponses } from "../responses/prepare.ts";
import { keepMadeItems } from "../responses/made-items.ts";
import { summaryTokens } from "../responses/summary.ts";
import { newAnswerId, planText, type AskedText } from "../text-call.ts";

/** POST /v1/responses (interface endpoint 4): with any vendor, also where the client refers to earlier responses. */
export function responses(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, readResponses(deps, call));
    const prepared = await prepareResponses(deps, call, body);
    const answerId = newAnswerId(deps, "responses");
    const { ask } = body.seen;
    const asked: AskedText = {
      wire: "responses",
      body: prepared.body,
      ask: ask.compacts ? heldForSummary(prepared.ask) : prepared.ask,
      native: prepared.native,
      answerId,
      echo: ask.previousId === undefined ? undefined : { previous_response_id: ask.previousId },
      ...(ask.compacts ? await compacting(deps, call, prepared, answerId) : {}),
      admitted: prepared.admitted,
      answered(answered) {
        keepMadeItems(deps, call, { answered, kept: ask.store, admitted: prepared.admitted });
        if (!ask.store) return;
        const kept = { answered, answerId, bytes: body.bytes, ancestors: prepared.ancestors };
        keep(deps, call, kept).catch((error: unknown) => notKept(deps, call, error));
      },
    };
    await runCall(deps.relay, call, asked.ask.model, (serving) => planText(deps, call, asked, serving));
  };
}

/** A summary of the gateway's own may be longer than the client's bound of an answer: it is held for. */
function heldForSummary(ask: PreparedResponses["ask"]): PreparedResponses["ask"] {
  const { maxOutputTokens: most } = ask;
  return most === undefined ? ask : { ...ask, maxOutputTokens: Math.max(most, summaryTokens) };
}

/** Serves a turn that is to end in a compaction: a vendor of this wire knows how, for any other the model sums up. */
async function compacting(
  deps: Deps,
  call: ServiceCall,
  { ask, body }: PreparedResponses,
  answerId: string,
): Promise<Pick<AskedText, "billsUnseen" | "exchange">> {
  const asked = await reparseJson(body);
  const compaction = {
    model: ask.model,
    stream: ask.stream,
    instructions: typeof asked["instructions"] === "string" ? asked["instructions"] : undefined,
    items: itemsOf(asked["input"]),
    seal: (summary: string) => deps.compactions.seal(call.caller.accountId, summary),
    answerId,
    asked,
    askedBytes: body.length,
    render: compactedTurn,
  };
  return {
    // The summary is shown whole at its end.
    billsUnseen: true,
    exchange: ({ way: { wire, candidate }, usual }) =>
      wire === "responses" ? usual() : compactExchange(compaction, vendorCodec(wire), candidate.upstreamModel),
  };
}

/** Keeps a response for later references. The answer goes on meanwhile: both go through Redis in this order. */
async function keep(
  { responses: store, relay }: Deps,
  call: ServiceCall,
  kept: {
    readonly answered: Answered;
    readonly answerId: string;
    readonly bytes: Buffer;
    readonly ancestors: readonly string[];
  },
): Promise<void> {
  const response = responseIn(kept.answered.text);
  const id = response?.["id"];
  if (response === undefined || typeof id !== "string" || id === "") return;
  const body = await reparseJson(kept.bytes);
  // An id that is not ours is the vendor's, which then keeps the response as well.
  const keptAt = id === kept.answerId || kept.answered.isCut ? undefined : kept.answered.channelKey;
  const stored = { response, input: itemsOf(body["input"]), ancestors: kept.ancestors, keptAt };
  if (!(await store.save(call.caller.accountId, id, stored, kept.bytes.length)))
    relay.log.warn({ ...idsOf(call), response: id }, "a response is too large to be kept");
}

function notKept({ relay }: Deps, call: ServiceCall, error: unknown): void {
  relay.log.warn({ ...idsOf(call), err: error }, "a response was not kept");
}
