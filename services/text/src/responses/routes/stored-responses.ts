import { Failure } from "@modelgate/contracts";
import { answerJson, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import type { JsonObject } from "@modelgate/wires/text";
import type { BackgroundRuns } from "../background/background-runs.ts";
import type { BackgroundId } from "../background/background-store.ts";
import { currentResponse } from "../background/current-response.ts";
import { isOver } from "../background/events.ts";
import { followEvents } from "../background/follow-events.ts";
import type { ResponsesDeps } from "../deps.ts";
import type { StoredResponse } from "../stored-response.ts";
import { pageOf, wrong } from "./pages.ts";
import { withMemory } from "./with-memory.ts";

/** GET /v1/responses/{response_id}: the response, or with `stream=true` the events of a background response. */
export function getResponse(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const isStream = call.query.get("stream") === "true";
    await withStored(deps, call, ({ response }) => {
      if (!isStream) return answerJson(call.response, 200, response);
      if (response["background"] !== true)
        throw wrong("stream", "can be true only for a response that was created with background: true");
    });
    if (!isStream) return;
    const after = call.query.get("starting_after");
    if (after !== null && !/^\d{1,9}$/.test(after)) throw wrong("starting_after", "must be the number of an event");
    await followEvents(deps, call, atOf(call), after === null ? -1 : Number(after));
  };
}

/** POST /v1/responses/{response_id}/cancel: returns the final response. */
export function cancelResponse(deps: ResponsesDeps, background: BackgroundRuns): EndpointHandler {
  return async (call) => {
    const isOpen = await withStored(deps, call, ({ response }) => {
      if (response["background"] !== true)
        throw wrong("response_id", "must be of a response that was created with background: true");
      return !isOver(response);
    });
    if (isOpen) await cancel(deps, background, call);
    await withStored(deps, call, ({ response }) => answerJson(call.response, 200, response));
  };
}

/** Maximum wait for a cancellation and pause between two polls, in ms. */
const [cancelWaitMs, pollMs] = [5_000, 50];

/** Cancels a response and waits until it has ended; the wait is bounded in case its process does not react. */
async function cancel(deps: ResponsesDeps, background: BackgroundRuns, call: ServiceCall): Promise<void> {
  background.cancel(idIn(call));
  await deps.backgroundStore.askToCancel(atOf(call));
  const until = Date.now() + cancelWaitMs;
  while (!call.ending.aborted && (await deps.backgroundStore.isHeld(atOf(call))) && Date.now() < until)
    await new Promise((resolve) => void setTimeout(resolve, pollMs));
}

/** DELETE /v1/responses/{response_id}: cancels a response that is still being made before it is removed. */
export function deleteResponse(deps: ResponsesDeps, background: BackgroundRuns): EndpointHandler {
  return async (call) => {
    const id = idIn(call);
    const { isBackground, isOpen } = await withStored(deps, call, ({ response }) => ({
      isBackground: response["background"] === true,
      isOpen: !isOver(response),
    }));
    if (isBackground) {
      if (isOpen) await cancel(deps, background, call);
      await deps.backgroundStore.removeEvents(atOf(call));
    }
    if (!(await deps.responses.remove(call.caller.accountId, id))) throw absent(id);
    answerJson(call.response, 200, { id, object: "response", deleted: true });
  };
}

/** GET /v1/responses/{response_id}/input_items: pages by `limit`, `after` and `order`. */
export function listResponseInputItems(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const id = idIn(call).replace(/^resp_/, "");
    await withStored(deps, call, ({ input }) => {
      const named: readonly JsonObject[] = input.map((item, at) => ({ id: `item_${id}_${at}`, ...item }));
      answerJson(call.response, 200, pageOf(named, call.query));
    });
  };
}

/**
 * Reads the response that a call names into the memory budget and passes it to `use`. Throws Failure response_not_found
 * (404).
 */
async function withStored<Result>(
  deps: ResponsesDeps,
  call: ServiceCall,
  use: (stored: StoredResponse) => Result,
): Promise<Result> {
  return await withMemory(deps, call, async (memory) => {
    const stored = await currentResponse(deps, atOf(call), memory);
    if (stored === undefined) throw absent(idIn(call));
    return use(stored);
  });
}

function atOf(call: ServiceCall): BackgroundId {
  return { accountId: call.caller.accountId, id: idIn(call) };
}

function idIn({ params }: ServiceCall): string {
  return params["response_id"] ?? "";
}

function absent(id: string): Failure {
  return new Failure("response_not_found", `Response with id ${JSON.stringify(id.slice(0, 200))} not found.`, {
    param: "response_id",
  });
}
