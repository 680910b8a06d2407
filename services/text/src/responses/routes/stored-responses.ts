import { Failure } from "@modelgate/contracts";
import { answerJson, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import type { JsonObject } from "@modelgate/wires/text";
import type { BackgroundRuns } from "../background/background-runs.ts";
import type { BackgroundRef } from "../background/background-store.ts";
import { currentResponse } from "../background/current-response.ts";
import { hasEnded } from "../background/events.ts";
import { responsesEventFormat, type EventFormat } from "../background/event-format.ts";
import { followEvents } from "../background/follow-events.ts";
import type { ResponsesDeps } from "../deps.ts";
import type { StoredResponse } from "../stored-response.ts";
import { pageOf, invalidParameter } from "./pages.ts";
import { withMemory } from "./with-memory.ts";

/** GET /v1/responses/{response_id}: returns the response, or the events of a background response with `stream=true`. */
export function getResponse(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const isStream = call.query.get("stream") === "true";
    await withStored(deps, call, responsesEventFormat, ({ response }) => {
      if (!isStream) return answerJson(call.response, 200, response);
      if (response["background"] !== true)
        throw invalidParameter("stream", "can be true only for a response that was created with background: true");
    });
    if (isStream) await followFrom(deps, call, responsesEventFormat, "starting_after");
  };
}

/**
 * Streams the stored events after the number in the query parameter `name`; without the parameter, streams all of them.
 */
export async function followFrom(
  deps: ResponsesDeps,
  call: ServiceCall,
  format: EventFormat,
  name: string,
): Promise<void> {
  const after = call.query.get(name);
  if (after !== null && !/^\d{1,9}$/.test(after)) throw invalidParameter(name, "must be the number of an event");
  await followEvents(deps, call, format, storedRefOf(call, format), after === null ? -1 : Number(after));
}

/** POST /v1/responses/{response_id}/cancel: cancels a background response and returns its state. */
export function cancelResponse(deps: ResponsesDeps, background: BackgroundRuns): EndpointHandler {
  return async (call) => {
    const isOpen = await withStored(deps, call, responsesEventFormat, ({ response }) => {
      if (response["background"] !== true)
        throw invalidParameter("response_id", "must be of a response that was created with background: true");
      return !hasEnded(response);
    });
    await answerCancelled(deps, background, call, responsesEventFormat, isOpen);
  };
}

/** Cancels a response or an interaction if it has not ended, and answers with its state. */
export async function answerCancelled(
  deps: ResponsesDeps,
  background: BackgroundRuns,
  call: ServiceCall,
  format: EventFormat,
  isOpen: boolean,
): Promise<void> {
  if (isOpen) await cancelRun(deps, background, call, format);
  await withStored(deps, call, format, ({ response }) => answerJson(call.response, 200, response));
}

/** Pause in ms between two checks that a response is cancelled. */
const pollMs = 50;

/** Cancels a response or an interaction. Waits for at most `cancelWaitMs`. */
async function cancelRun(
  deps: ResponsesDeps,
  background: BackgroundRuns,
  call: ServiceCall,
  format: EventFormat,
): Promise<void> {
  const ref = storedRefOf(call, format);
  background.cancel(ref.id);
  await deps.backgroundStore.requestCancel(ref);
  const until = Date.now() + deps.background.cancelWaitMs;
  while (!call.ending.aborted && (await deps.backgroundStore.hasLease(ref)) && Date.now() < until)
    await new Promise((resolve) => void setTimeout(resolve, pollMs));
}

/** DELETE /v1/responses/{response_id}: removes a response, and cancels it if it has not ended. */
export function deleteResponse(deps: ResponsesDeps, background: BackgroundRuns): EndpointHandler {
  return async (call) => {
    const state = await withStored(deps, call, responsesEventFormat, ({ response }) => {
      const hasEvents = response["background"] === true;
      return { hasEvents, isOpen: hasEvents && !hasEnded(response) };
    });
    const id = await removeStored(deps, background, call, responsesEventFormat, state);
    answerJson(call.response, 200, { id, object: "response", deleted: true });
  };
}

/** Removes a response or an interaction, and returns its id. Throws Failure response_not_found (404). */
export async function removeStored(
  deps: ResponsesDeps,
  background: BackgroundRuns,
  call: ServiceCall,
  format: EventFormat,
  { isOpen, hasEvents }: { readonly isOpen: boolean; readonly hasEvents: boolean },
): Promise<string> {
  const ref = storedRefOf(call, format);
  if (isOpen) {
    await cancelRun(deps, background, call, format);
    await deps.backgroundStore.markDeleted(ref);
  }
  if (hasEvents) await deps.backgroundStore.removeEvents(ref);
  if (!(await deps[format.wire].remove(ref.accountId, ref.id))) throw notFound(ref.id, format);
  return ref.id;
}

/** GET /v1/responses/{response_id}/input_items: lists the input in pages by `limit`, `after` and `order`. */
export function listResponseInputItems(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const id = storedRefOf(call, responsesEventFormat).id.replace(/^resp_/, "");
    await withStored(deps, call, responsesEventFormat, ({ input }) => {
      const identifiedItems: readonly JsonObject[] = input.map((item, index) => ({
        ...item,
        id: item["id"] ?? `item_${id}_${index}`,
      }));
      answerJson(call.response, 200, pageOf(identifiedItems, call.query));
    });
  };
}

/** Calls `use` with the response or interaction that a call names. Throws Failure response_not_found (404). */
export async function withStored<Result>(
  deps: ResponsesDeps,
  call: ServiceCall,
  format: EventFormat,
  use: (stored: StoredResponse) => Result,
): Promise<Result> {
  return await withMemory(deps, call, async (memory) => {
    const ref = storedRefOf(call, format);
    const stored = await currentResponse(deps, format, ref, memory);
    if (stored === undefined) throw notFound(ref.id, format);
    return use(stored);
  });
}

/** Returns true if events of a response or an interaction are stored. Only runs in the background store events. */
export async function hasEvents(deps: ResponsesDeps, call: ServiceCall, format: EventFormat): Promise<boolean> {
  return (await deps.backgroundStore.countEvents(storedRefOf(call, format))) > 0;
}

/** Names of the object in error messages, and of its id in paths. */
const names = {
  responses: ["Response", "response_id"],
  interactions: ["Interaction", "interaction_id"],
} as const;

function storedRefOf({ caller, params }: ServiceCall, { wire }: EventFormat): BackgroundRef {
  return { accountId: caller.accountId, id: params[names[wire][1]] ?? "" };
}

function notFound(id: string, { wire }: EventFormat): Failure {
  const [noun, param] = names[wire];
  return new Failure("response_not_found", `${noun} with id ${JSON.stringify(id.slice(0, 200))} not found.`, { param });
}
