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

/** GET /v1/responses/{response_id}: the response, or with `stream=true` the events of one that is made in the background. */
export function getResponse(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const { response } = await find(deps, call);
    if (call.query.get("stream") !== "true") return answerJson(call.response, 200, response);
    if (response["background"] !== true)
      throw wrong("stream", "can be true only for a response that was created with background: true");
    const after = call.query.get("starting_after");
    if (after !== null && !/^\d{1,9}$/.test(after)) throw wrong("starting_after", "must be the number of an event");
    await followEvents(deps, call.answer, atOf(call), after === null ? -1 : Number(after));
  };
}

/** POST /v1/responses/{response_id}/cancel: the response as it ended. */
export function cancelResponse(deps: ResponsesDeps, background: BackgroundRuns): EndpointHandler {
  return async (call) => {
    const { response } = await find(deps, call);
    if (response["background"] !== true)
      throw wrong("response_id", "must be of a response that was created with background: true");
    answerJson(call.response, 200, isOver(response) ? response : await cancelled(deps, background, call));
  };
}

/** How long a cancellation is waited for, and the pause between two looks. */
const [cancelWaitMs, lookMs] = [5_000, 50];

/** Cancels a response; gives it as it is then, over unless the process that makes it does not answer. */
async function cancelled(deps: ResponsesDeps, background: BackgroundRuns, call: ServiceCall): Promise<JsonObject> {
  background.cancel(idIn(call));
  await deps.backgroundStore.askToCancel(atOf(call));
  const until = Date.now() + cancelWaitMs;
  for (;;) {
    const { response } = await find(deps, call);
    if (isOver(response) || Date.now() > until) return response;
    await new Promise((resolve) => void setTimeout(resolve, lookMs));
  }
}

/** DELETE /v1/responses/{response_id}; one that is still being made is cancelled before. */
export function deleteResponse(deps: ResponsesDeps, background: BackgroundRuns): EndpointHandler {
  return async (call) => {
    const id = idIn(call);
    const { response } = await find(deps, call);
    if (response["background"] === true) {
      if (!isOver(response)) await cancelled(deps, background, call);
      await deps.backgroundStore.removeEvents(atOf(call));
    }
    if (!(await deps.responses.remove(call.caller.accountId, id))) throw absent(id);
    answerJson(call.response, 200, { id, object: "response", deleted: true });
  };
}

/** GET /v1/responses/{response_id}/input_items: pages by `limit`, `after` and `order`. */
export function listResponseInputItems(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const { input } = await find(deps, call);
    const id = idIn(call).replace(/^resp_/, "");
    const named: readonly JsonObject[] = input.map((item, at) => ({ id: `item_${id}_${at}`, ...item }));
    answerJson(call.response, 200, pageOf(named, call.query));
  };
}

async function find(deps: ResponsesDeps, call: ServiceCall): Promise<StoredResponse> {
  const id = idIn(call);
  const stored = await currentResponse(deps, atOf(call));
  if (stored === undefined) throw absent(id);
  return stored;
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
