import { withoutUndefined } from "@modelgate/contracts";
import { memberOf, type JsonRecord } from "@modelgate/formats/json";
import { searchTool, parseLocation, hasOtherOptions, type WebSearchTool, type Unsupported } from "../hub/request.ts";

export function parseSearch(options: JsonRecord): WebSearchTool {
  const { search_context_size: contextSize, user_location, ...others } = options;
  const location = memberOf(user_location, "approximate");
  const commonOptions = { contextSize, location: parseLocation(location) };
  return searchTool("chat", options, commonOptions, others);
}

export function renderSearchOptions(
  { wire, options, commonOptions = {}, more }: WebSearchTool,
  unsupported: Unsupported,
): JsonRecord {
  if (wire === "chat") return options;
  const { contextSize, location } = commonOptions;
  unsupported.noteIf(
    "tools.web-search.options",
    more === true || hasOtherOptions(commonOptions, ["contextSize", "location"]),
  );
  const user_location = location === undefined ? undefined : { type: "approximate", approximate: location };
  return withoutUndefined({ search_context_size: contextSize, user_location });
}
