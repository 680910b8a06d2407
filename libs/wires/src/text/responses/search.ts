import { withoutUndefined } from "@modelgate/contracts";
import { asRecord, type JsonRecord } from "@modelgate/formats/json";
import { unlessEmpty } from "../hub/render.ts";
import type { WebSearchTool, Unsupported } from "../hub/request.ts";
import { searchTool, parseLocation, renderLocation, hasOtherOptions } from "../hub/request.ts";

const searchType = "web_search";

/** Returns true for the types of web search: `web_search`, `web_search_preview`, or one of them with a date. */
export function isSearch(type: string): boolean {
  return /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/.test(type);
}

export function parseSearch(definition: JsonRecord): WebSearchTool {
  const { type, ...rest } = definition;
  const { filters, search_context_size: contextSize, user_location, ...others } = rest;
  const { allowed_domains, blocked_domains, ...filtering } = asRecord(filters);
  const commonOptions = {
    allowedDomains: allowed_domains,
    blockedDomains: blocked_domains,
    contextSize,
    location: parseLocation(user_location),
  };
  return searchTool("responses", type === searchType ? rest : { type, ...rest }, commonOptions, {
    ...others,
    ...filtering,
  });
}

/** Renders web search for the vendor. A search from another wire keeps only the options that this wire can express. */
export function renderSearch(
  { wire, options, commonOptions = {}, more }: WebSearchTool,
  unsupported: Unsupported,
): JsonRecord {
  if (wire === "responses") return { type: searchType, ...options };
  const { allowedDomains, blockedDomains, contextSize, location } = commonOptions;
  const isUnsupported = hasOtherOptions(commonOptions, ["allowedDomains", "blockedDomains", "contextSize", "location"]);
  unsupported.noteIf("tools.web-search.options", more === true || isUnsupported);
  return withoutUndefined({
    type: searchType,
    filters: unlessEmpty({ allowed_domains: allowedDomains, blocked_domains: blockedDomains }),
    search_context_size: contextSize,
    user_location: renderLocation(location),
  });
}
