import { Failure } from "@modelgate/contracts";
import { readQueryInteger } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";

const [maxItems, defaultItems] = [100, 20];

/** Page parameters of a list request. */
export interface PageQuery {
  readonly newestFirst: boolean;
  readonly limit: number;
  /** Id of the last item of the previous page. */
  readonly after: string | undefined;
}

/** Reads `limit`, `after` and `order` from a query. As in OpenAI's API, the newest items come first by default. */
export function readPageQuery(query: URLSearchParams): PageQuery {
  const order = query.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw invalidParameter("order", "must be asc or desc");
  const limit = readQueryInteger(query, "limit", { fallback: defaultItems, max: maxItems });
  return { newestFirst: order === "desc", limit, after: query.get("after") ?? undefined };
}

/** Returns the page of items that a query requests. */
export function pageOf(items: readonly JsonObject[], query: URLSearchParams): object {
  const { newestFirst, limit, after } = readPageQuery(query);
  const ordered = newestFirst ? items.toReversed() : items;
  const start = after === undefined ? 0 : ordered.findIndex((item) => item["id"] === after) + 1;
  if (after !== undefined && start === 0) throw unknownAfterFailure();
  const data = ordered.slice(start, start + limit);
  return { ...listOf(data), has_more: start + data.length < ordered.length };
}

/** Returns items as a list without further pages. */
export function listOf(data: readonly JsonObject[]): object {
  const [first, last] = [data[0]?.["id"] ?? null, data.at(-1)?.["id"] ?? null];
  return { object: "list", data, first_id: first, last_id: last, has_more: false };
}

/** Creates the failure of a request whose `after` names no item of the list. */
export function unknownAfterFailure(): Failure {
  return invalidParameter("after", "is not the id of an item of this list");
}

/** Creates the failure of an invalid parameter. */
export function invalidParameter(param: string, problem: string): Failure {
  return new Failure("invalid_value", `${param} ${problem}.`, { param });
}
