import { Failure } from "@modelgate/contracts";
import { answerJson, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { wholeNumberIn } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";
import type { Deps } from "../deps.ts";
import type { StoredResponse } from "../responses/stored-response.ts";

/** GET /v1/responses/{response_id}. */
export function getResponse(deps: Deps): EndpointHandler {
  return async (call) => answerJson(call.response, 200, (await find(deps, call)).response);
}

/** DELETE /v1/responses/{response_id}. */
export function deleteResponse(deps: Deps): EndpointHandler {
  return async (call) => {
    const id = idIn(call);
    if (!(await deps.responses.remove(call.caller.accountId, id))) throw absent(id);
    answerJson(call.response, 200, { id, object: "response", deleted: true });
  };
}

/** GET /v1/responses/{response_id}/input_items: pages by `limit`, `after` and `order`. */
export function listResponseInputItems(deps: Deps): EndpointHandler {
  return async (call) => {
    const { input } = await find(deps, call);
    const id = idIn(call).replace(/^resp_/, "");
    const named: readonly JsonObject[] = input.map((item, at) => ({ id: `item_${id}_${at}`, ...item }));
    answerJson(call.response, 200, pageOf(named, call.query));
  };
}

const [mostItems, usualItems] = [100, 20];

/** Newest first, as the vendor has it, unless `order=asc`. */
function pageOf(items: readonly JsonObject[], query: URLSearchParams): object {
  const order = query.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw wrong("order", "must be asc or desc");
  const ordered = order === "asc" ? items : items.toReversed();
  const start = startOf(ordered, query.get("after"));
  const data = ordered.slice(start, start + wholeNumberIn(query, "limit", { fallback: usualItems, most: mostItems }));
  const [first, last] = [data[0]?.["id"] ?? null, data.at(-1)?.["id"] ?? null];
  return { object: "list", data, first_id: first, last_id: last, has_more: start + data.length < ordered.length };
}

/** Behind the item that a page ended with. */
function startOf(items: readonly JsonObject[], after: string | null): number {
  if (after === null) return 0;
  const start = items.findIndex((item) => item["id"] === after) + 1;
  if (start === 0) throw wrong("after", "is not the id of an item of this response");
  return start;
}

function wrong(param: string, say: string): Failure {
  return new Failure("invalid_value", `${param} ${say}.`, { param });
}

async function find(deps: Deps, call: ServiceCall): Promise<StoredResponse> {
  const id = idIn(call);
  const stored = await deps.responses.find(call.caller.accountId, id);
  if (stored === undefined) throw absent(id);
  return stored;
}

function idIn({ params }: ServiceCall): string {
  return params["response_id"] ?? "";
}

function absent(id: string): Failure {
  return new Failure("response_not_found", `Response with id ${JSON.stringify(id.slice(0, 200))} not found.`, {
    param: "response_id",
  });
}
