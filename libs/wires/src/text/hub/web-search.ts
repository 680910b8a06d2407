import { forcesSingleTool } from "./render.ts";
import { searchToolName, unsupportedFailure } from "./request.ts";
import type { TextRequest, TextWireName, Unsupported, WebSearchTool } from "./request.ts";

/**
 * Removes the web searches that vendors of a wire lack. Converse has none. A search of the responses wire in stored
 * pages only would search the live web at other vendors.
 */
export function withoutForeignSearches(
  request: TextRequest,
  wire: TextWireName,
  unsupported: Unsupported,
): TextRequest {
  if (wire === "responses") return request;
  const isOffline = ({ options }: WebSearchTool): boolean => options["external_web_access"] === false;
  return withoutSearches(request, (search) => wire === "converse" || isOffline(search), unsupported);
}

/** Removes the web searches that a vendor cannot run. Throws Failure unsupported_parameter if the request forces one. */
export function withoutSearches(
  request: TextRequest,
  isRemoved: (search: WebSearchTool) => boolean,
  unsupported: Unsupported,
): TextRequest {
  const { tools } = request;
  const remaining = tools?.filter((tool) => !(tool.kind === "web-search" && isRemoved(tool)));
  if (remaining === undefined || remaining.length === tools?.length) return request;
  refuseForced(request, searchToolName);
  unsupported.note("tools.web-search");
  return { ...request, tools: remaining };
}

/** Throws Failure unsupported_parameter if a request forces a tool that would be left out. */
export function refuseForced({ toolChoice }: TextRequest, name: string): void {
  if (forcesSingleTool(toolChoice) && toolChoice?.names?.includes(name) === true)
    throw unsupportedFailure(`tools: ${name}`);
}
