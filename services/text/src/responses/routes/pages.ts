import { Failure } from "@modelgate/contracts";
import { wholeNumberIn } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

const [maxItems, usualItems] = [100, 20];

/** A page of items by `limit`, `after` and `order`: newest first, as the vendor has it, unless `order=asc`. */
export function pageOf(items: readonly JsonObject[], query: URLSearchParams): object {
  const order = query.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw wrong("order", "must be asc or desc");
  const ordered = order === "asc" ? items : items.toReversed();
  const start = startOf(ordered, query.get("after"));
  const data = ordered.slice(start, start + wholeNumberIn(query, "limit", { fallback: usualItems, most: maxItems }));
  return { ...listOf(data), has_more: start + data.length < ordered.length };
}

/** Items as a whole list. */
export function listOf(data: readonly JsonObject[]): object {
  const [first, last] = [data[0]?.["id"] ?? null, data.at(-1)?.["id"] ?? null];
  return { object: "list", data, first_id: first, last_id: last, has_more: false };
}

/** Behind the item that a page ended with. */
function startOf(items: readonly JsonObject[], after: string | null): number {
  if (after === null) return 0;
  const start = items.findIndex((item) => item["id"] === after) + 1;
  if (start === 0) throw wrong("after", "is not the id of an item of this list");
  return start;
}

/** A parameter of a path or query that is wrong. */
export function wrong(param: string, say: string): Failure {
  return new Failure("invalid_value", `${param} ${say}.`, { param });
}
