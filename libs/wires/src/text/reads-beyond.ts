import { isRecord, type JsonRecord } from "../json/fields.ts";

/** Members by which a vendor reads more than the body holds: what it keeps, or what it searches for. */
const beyond = [
  "previous_response_id",
  "conversation",
  "web_search_options",
  "search_parameters",
  "enable_search",
  "plugins",
  "mcp_servers",
  "container",
  "cachedContent",
  "cached_content",
];
/** Tools that the client runs itself: their results come in a body. */
const ownTools: ReadonlySet<unknown> = new Set([undefined, null, "function", "custom"]);

/** Whether a vendor may read input for this request that is not in its body. */
export function readsBeyond(body: object): boolean {
  const record: JsonRecord = isRecord(body) ? body : {};
  if (beyond.some((name) => (record[name] ?? undefined) !== undefined) || isRecord(record["prompt"])) return true;
  const { tools } = record;
  return Array.isArray(tools) && tools.some((tool: unknown) => !isRecord(tool) || !isOwnTool(tool));
}

function isOwnTool(tool: JsonRecord): boolean {
  if (!ownTools.has(tool["type"])) return false;
  // Generated content has no type but a member for each kind of tool.
  const isNamed = tool["name"] !== undefined || tool["function"] !== undefined || tool["custom"] !== undefined;
  return isNamed || Object.keys(tool).every((name) => /^function_?declarations$/i.test(name));
}
