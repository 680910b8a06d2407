import { withoutUndefined } from "@modelgate/contracts";
import { createHash } from "node:crypto";
import { asRecord, type JsonRecord } from "@modelgate/formats/json";
import { searchTool, parseLocation, renderLocation, hasOtherOptions } from "../hub/request.ts";
import type { NamespacedTool, Tool, WebSearchTool, Unsupported } from "../hub/request.ts";
import { unlessEmpty } from "../hub/render.ts";

/** Maximum length of a function's name that all vendors accept. */
const maxCharacters = 64;
const hashCharacters = 8;

/** Returns a name with its namespace. If the result is too long, a hash replaces its end. */
export function qualifiedName(namespace: string | undefined, name: string): string {
  if (namespace === undefined) return name;
  const joined = `${namespace}__${name}`;
  if (joined.length <= maxCharacters) return joined;
  const hash = createHash("sha256").update(joined).digest("hex").slice(0, hashCharacters);
  return `${joined.slice(0, maxCharacters - hashCharacters - 1)}_${hash}`;
}

/** Name of a tool on this wire, with its namespace. */
export interface LocalName {
  readonly namespace?: string;
  readonly name: string;
}

export function localNames(tools: readonly Tool[] | undefined): ReadonlyMap<string, LocalName> {
  const names = new Map<string, LocalName>();
  for (const tool of tools ?? [])
    if (tool.kind === "function" || tool.kind === "custom") {
      const { within } = tool;
      if (within !== undefined) names.set(tool.name, { namespace: within.namespace, name: within.name });
    }
  return names;
}

export function namespaceOf(
  { namespace, namespaceDescription }: NamespacedTool,
  tools: readonly JsonRecord[],
): JsonRecord {
  return withoutUndefined({ type: "namespace", name: namespace, description: namespaceDescription, tools });
}

const searchType = "web_search";

/** Returns true for `web_search` and `web_search_preview`, also with a date. */
export function isWebSearch(type: string): boolean {
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

/** Renders web search. Of a search from another wire, only the options that this wire has are sent. */
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
