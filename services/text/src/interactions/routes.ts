import { Failure, withoutUndefined } from "@modelgate/contracts";
import { answerJson, idsOf, type AreaHandlers, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { readJson, type JsonBody } from "@modelgate/relay";
import { InteractionCollector, type JsonObject } from "@modelgate/wires/text";
import {
  answerCancelled,
  answerInBackground,
  asStream,
  followFrom,
  hasEvents,
  interactionsEventFormat,
  hasEnded,
  storeAnswerFirst,
  removeStored,
  withStored,
  type BackgroundJob,
  type BackgroundRuns,
  type ResponsesDeps,
} from "../responses/index.ts";
import { newAnswerId, runText, TextCallKind } from "../text-kind.ts";
import { prepareInteraction, interactionParser, type ParsedInteraction } from "./prepare.ts";

const wire = "interactions";

/** Handlers of the endpoints for interactions. */
export function interactionsRoutes(deps: ResponsesDeps, background: BackgroundRuns) {
  return {
    interactions: createInteraction(deps, background),
    getInteraction: getInteraction(deps),
    cancelInteraction: cancelInteraction(deps, background),
    deleteInteraction: deleteInteraction(deps, background),
  } satisfies Partial<AreaHandlers<"text">>;
}

/** POST /v1/interactions: creates an interaction, in the background if `background` is true. */
function createInteraction(deps: ResponsesDeps, background: BackgroundRuns): EndpointHandler {
  return async (call) => {
    const read = await readJson(call, deps.body, interactionParser(deps, call));
    const { isInBackground, store, stream } = read.inspected.params;
    // An agent whose result is stored continues after its client has disconnected, because the client may return.
    const isAgentRun = read.inspected.target === "agent" && store && stream;
    if (!isInBackground && !isAgentRun) return await answerInForeground(deps, call, read);
    await answerInBackground(deps, background, call, {
      format: interactionsEventFormat,
      body: read,
      stream,
      prepare: (id) => jobOf(deps, call, read, id),
    });
  };
}

/** Answers a request. If the answer is to be stored, it is stored before the client receives its last part. */
async function answerInForeground(
  deps: ResponsesDeps,
  call: ServiceCall,
  read: JsonBody<ParsedInteraction>,
): Promise<void> {
  using body = read;
  const { params, body: bytes, ancestors } = await prepareInteraction(deps, call, body);
  const { previousId, store } = body.inspected.params;
  const answerId = newAnswerId(deps, wire);
  const { maxBytes } = deps.body;
  const answer = storeAnswerFirst(call, {
    maxBytes,
    memory: body.holding,
    collector: new InteractionCollector(),
    store: (id, response) => storeInteraction(deps, call, id, { response, input: body.inspected.steps, ancestors }),
  });
  await runText(new TextCallKind(deps), store ? { ...call, answer } : call, {
    wire,
    body: bytes,
    params,
    answerId,
    echo: echoOf(answerId, previousId),
  });
  await answer.stored;
}

/** Stores an interaction. Never rejects: a failure is only logged, because the client still gets its answer. */
async function storeInteraction(
  { interactions, relay }: ResponsesDeps,
  call: ServiceCall,
  id: string,
  stored: Parameters<ResponsesDeps["interactions"]["save"]>[2],
): Promise<void> {
  try {
    const verdict = await interactions.save(call.caller.accountId, id, stored, Infinity);
    if (verdict !== "stored")
      relay.log.warn({ ...idsOf(call), interaction: id, kept: verdict }, "an interaction was not stored");
  } catch (error) {
    relay.log.warn({ ...idsOf(call), err: error }, "an interaction was not stored");
  }
}

/** Returns the fields of an answer that the gateway sets. */
function echoOf(id: string, previousId: string | undefined): JsonObject {
  return withoutUndefined({ id, previous_interaction_id: previousId });
}

/** Prepares an interaction that is generated in the background. Throws Failure as `prepareInteraction` does. */
async function jobOf(
  deps: ResponsesDeps,
  call: ServiceCall,
  read: JsonBody<ParsedInteraction>,
  id: string,
): Promise<BackgroundJob> {
  const { params, body, ancestors } = await prepareInteraction(deps, call, read);
  const echo = echoOf(id, read.inspected.params.previousId);
  const now = new Date().toISOString();
  const head = {
    object: "interaction",
    [read.inspected.target]: params.model,
    status: "in_progress",
    created: now,
    updated: now,
  };
  const streamed = { wire, body: asStream(body), params: { ...params, stream: true }, answerId: id, echo } as const;
  return {
    model: params.model,
    queued: { response: { ...echo, ...head, steps: [] }, input: read.inspected.steps, ancestors },
    patch: echo,
    run: (request, onStart) => runText(new TextCallKind(deps), request, { ...streamed, onStart }),
  };
}

/** GET /v1/interactions/{interaction_id}: returns the interaction, or its events with `stream=true`. */
function getInteraction(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const { query, response } = call;
    const isStream = query.get("stream") === "true";
    const withInput = query.get("include_input") === "true";
    await withStored(deps, call, interactionsEventFormat, ({ response: interaction, input }) => {
      if (!isStream) answerJson(response, 200, withInput ? { ...interaction, input } : interaction);
    });
    if (isStream) await followFrom(deps, call, interactionsEventFormat, "last_event_id");
  };
}

/** POST /v1/interactions/{interaction_id}/cancel: cancels an interaction in the background. */
function cancelInteraction(deps: ResponsesDeps, background: BackgroundRuns): EndpointHandler {
  return async (call) => {
    const isRunning = await isOpen(deps, call);
    if (!isRunning && !(await hasEvents(deps, call, interactionsEventFormat)))
      throw new Failure("invalid_value", "Only interactions that run in the background can be cancelled.", {
        param: "interaction_id",
      });
    await answerCancelled(deps, background, call, interactionsEventFormat, isRunning);
  };
}

/** DELETE /v1/interactions/{interaction_id}: removes an interaction, and cancels it if it has not ended. */
function deleteInteraction(deps: ResponsesDeps, background: BackgroundRuns): EndpointHandler {
  return async (call) => {
    await removeStored(deps, background, call, interactionsEventFormat, {
      isOpen: await isOpen(deps, call),
      hasEvents: true,
    });
    answerJson(call.response, 200, {});
  };
}

function isOpen(deps: ResponsesDeps, call: ServiceCall): Promise<boolean> {
  return withStored(deps, call, interactionsEventFormat, ({ response }) => !hasEnded(response));
}
