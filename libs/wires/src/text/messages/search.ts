import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { WebSearchTool, Unsupported } from "../hub/request.ts";
import { searchTool, parseLocation, renderLocation, hasOtherOptions, searchToolName } from "../hub/request.ts";

/** Version of the vendor's search tool, unless the client names one. */
const searchType = "web_search_20250305";

export function parseSearch(definition: JsonRecord): WebSearchTool {
  const { name: _, type, ...options } = definition;
  const { allowed_domains, blocked_domains, max_uses, user_location, cache_control: _cache, ...others } = options;
  const commonOptions = {
    allowedDomains: allowed_domains,
    blockedDomains: blocked_domains,
    maxUses: max_uses,
    location: parseLocation(user_location),
  };
  return searchTool("messages", type === searchType ? options : { type, ...options }, commonOptions, others);
}

/** Renders web search. Of a search from another wire, only the options that this wire has are sent. */
export function renderSearch(
  { wire, options, commonOptions = {}, more }: WebSearchTool,
  unsupported: Unsupported,
): JsonRecord {
  if (wire === "messages") return { type: searchType, name: searchToolName, ...options };
  const { allowedDomains, blockedDomains, maxUses, location } = commonOptions;
  // The vendor accepts either allowed or blocked domains, not both.
  const hasBothLists = allowedDomains !== undefined && blockedDomains !== undefined;
  const isUnsupported = hasOtherOptions(commonOptions, ["allowedDomains", "blockedDomains", "maxUses", "location"]);
  unsupported.noteIf("tools.web-search.options", more === true || hasBothLists || isUnsupported);
  return withoutUndefined({
    type: searchType,
    name: searchToolName,
    allowed_domains: allowedDomains,
    blocked_domains: hasBothLists ? undefined : blockedDomains,
    max_uses: maxUses,
    user_location: renderLocation(location),
  });
}
