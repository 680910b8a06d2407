import { present } from "@modelgate/contracts";
import {
  type JsonObject,
  searchTool,
  type WebSearchTool,
  locationOf,
  renderLocation,
  hasOtherWishes,
  searchName,
} from "../hub/request.ts";
import type { Unsupported } from "../hub/field-support.ts";

/** The version of the vendor's search that is requested where the client names no other. */
const searchType = "web_search_20250305";

/** The vendor's search as a client of this wire says it. */
export function parseSearch(definition: JsonObject): WebSearchTool {
  const { name: _, type, ...options } = definition;
  const { allowed_domains, blocked_domains, max_uses, user_location, cache_control: _cache, ...others } = options;
  const wish = {
    allowedDomains: allowed_domains,
    blockedDomains: blocked_domains,
    maxUses: max_uses,
    location: locationOf(user_location),
  };
  return searchTool("messages", type === searchType ? options : { type, ...options }, wish, others);
}

/** A search for the vendor: another wire's as far as this one has words for it. */
export function renderSearch({ wire, options, wish = {}, more }: WebSearchTool, unsupported: Unsupported): JsonObject {
  if (wire === "messages") return { type: searchType, name: searchName, ...options };
  const { allowedDomains, blockedDomains, maxUses, location } = wish;
  // The vendor takes one of the two.
  const isTwofold = allowedDomains !== undefined && blockedDomains !== undefined;
  const lost = hasOtherWishes(wish, ["allowedDomains", "blockedDomains", "maxUses", "location"]);
  unsupported.noteIf("tools.web-search.options", more === true || isTwofold || lost);
  return present({
    type: searchType,
    name: searchName,
    allowed_domains: allowedDomains,
    blocked_domains: isTwofold ? undefined : blockedDomains,
    max_uses: maxUses,
    user_location: renderLocation(location),
  });
}
