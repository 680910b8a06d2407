import { present } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { type JsonObject, searchTool, type WebSearchTool, locationOf, hasOtherWishes } from "../hub/request.ts";
import type { Unsupported } from "../hub/field-support.ts";

/** `web_search_options`: the wish for search on the web. */
export function parseSearch(options: JsonObject): WebSearchTool {
  const { search_context_size: contextSize, user_location, ...others } = options;
  const location = isRecord(user_location) ? user_location["approximate"] : undefined;
  const wish = { contextSize, location: locationOf(location) };
  return searchTool("chat", options, wish, others);
}

/** A wish for search, for the vendor: another wire's as far as this one has words for it. */
export function renderSearchOptions(
  { wire, options, wish = {}, more }: WebSearchTool,
  unsupported: Unsupported,
): JsonObject {
  if (wire === "chat") return options;
  const { contextSize, location } = wish;
  unsupported.noteIf("tools.web-search.options", more === true || hasOtherWishes(wish, ["contextSize", "location"]));
  const user_location = location === undefined ? undefined : { type: "approximate", approximate: location };
  return present({ search_context_size: contextSize, user_location });
}
