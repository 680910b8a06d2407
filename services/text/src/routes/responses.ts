import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import { runCall, type Answered, readJson } from "@modelgate/relay";
import { isRecord, type JsonObject } from "@modelgate/wires";
import type { Deps } from "../deps.ts";
import { responseIn } from "../responses/answered-response.ts";
import { compactedTurn, compactExchange } from "../responses/compact-exchange.ts";
import { itemsOf } from "../responses/conversation.ts";
import { prepareResponses, readResponses, type PreparedResponses } from "../responses/prepare.ts";
import { newAnswerId, planText, textWire } from "../text-call.ts";

/** POST /v1/responses (interface endpoint 4): with any vendor, also where the client refers to earlier responses. */
export function responses(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call.request, deps.body, readResponses(deps, call));
    const prepared = await prepareResponses(deps, call, body);
    const answerId = newAnswerId(deps, "responses");
    const { ask } = body.seen;
    const plan = planText(deps, call, {
      wire: "responses",
      body: prepared.body,
      ask: prepared.ask,
      native: prepared.native,
      answerId,
      ...(ask.previousId === undefined ? {} : { echo: { previous_response_id: ask.previousId } }),
      answered: ask.store
        ? (answered) => keep(deps, call, { answered, answerId, bytes: body.bytes, ancestors: prepared.ancestors })
        : undefined,
    });
    await runCall(deps.relay, call, ask.compacts ? compacting(deps, call, plan, prepared, answerId) : plan);
  };
}

type Plan = ReturnType<typeof planText>;

/** A turn that is to end in a compaction: a vendor of this wire knows how, for any other the model sums up. */
function compacting(
  deps: Deps,
  call: ServiceCall,
  plan: Plan,
  { ask, body }: PreparedResponses,
  answerId: string,
): Plan {
  const asked: unknown = JSON.parse(body.toString());
  if (!isRecord(asked)) return plan;
  const compaction = {
    model: ask.model,
    stream: ask.stream,
    instructions: typeof asked["instructions"] === "string" ? asked["instructions"] : undefined,
    items: itemsOf(asked["input"]),
    seal: (summary: string) => deps.compactions.seal(call.caller.accountId, summary),
    answerId,
    asked,
    render: compactedTurn,
  };
  return {
    ...plan,
    // The sum is told whole at its end.
    billsUnseen: true,
    exchange: (wire, way, history) =>
      wire === "responses"
        ? plan.exchange(wire, way, history)
        : compactExchange(compaction, textWire(wire), way.candidate.upstreamModel),
  };
}

/** Keeps a response for later references. The answer goes on meanwhile: both go through Redis in this order. */
function keep(
  { responses: store, relay }: Deps,
  call: ServiceCall,
  told: {
    readonly answered: Answered;
    readonly answerId: string;
    readonly bytes: Buffer;
    readonly ancestors: readonly string[];
  },
): void {
  const response = responseIn(told.answered.text);
  const id = response?.["id"];
  if (response === undefined || typeof id !== "string" || id === "") return;
  const body: JsonObject = JSON.parse(told.bytes.toString());
  // An id that is not ours is the vendor's, which then keeps the response as well.
  const keptAt = id === told.answerId || told.answered.isCut ? undefined : told.answered.place;
  const stored = { response, input: itemsOf(body["input"]), ancestors: told.ancestors, keptAt };
  store.save(call.caller.accountId, id, stored).then(
    (kept) => {
      if (!kept) relay.log.warn({ requestId: call.requestId, response: id }, "a response is too large to be kept");
    },
    (error: unknown) =>
      relay.log.warn({ err: error, requestId: call.requestId, response: id }, "a response was not kept"),
  );
}
