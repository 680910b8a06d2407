import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { spliceMembers } from "../../json/splice.ts";
import { memberOf } from "../pass-json.ts";
import {
  askedFees,
  askedTiers,
  countedTools,
  recordsIn,
  seenFees,
  tierIn,
  unitOfTool,
  type AskedFees,
  type AskedTool,
  type SeenCall,
  type SeenFees,
} from "../fees.ts";

/** The members that decide what is charged beside tokens. */
export const reliedForFees = ["tools", "mcp_servers", "service_tier", "speed"];

/** Tools that the client runs, and the search among tools, which costs nothing of its own. */
const unpaidTool = /^(?:custom$|bash_|text_editor_|computer_|memory_|tool_search_tool_)/;

/** What a request asks of its vendor beside tokens; undefined for nothing. */
export function askedFeesOf(body: JsonRecord): AskedFees | undefined {
  return askedFees({
    tools: [
      ...recordsIn(body["tools"]).flatMap(([at, tool]) => vendorTool(`tools${at}`, tool)),
      ...recordsIn(body["mcp_servers"]).map(([at]) => ({ path: `mcp_servers${at}` })),
    ],
    tiers: askedTiers(body, "service_tier", "speed"),
  });
}

function vendorTool(path: string, { type = "custom", max_uses: most }: JsonRecord): readonly AskedTool[] {
  if (typeof type !== "string") return [{ path }];
  if (unpaidTool.test(type)) return [];
  return [{ path, unit: unitOfTool(type), most: typeof most === "number" && most >= 0 ? Math.trunc(most) : undefined }];
}

/** The searches and fetches of a request bounded where the client sets no bound: the vendor goes on without them. */
export function capTools(body: Buffer, most: number): Buffer {
  const tools = memberOf(body, "tools");
  if (!Array.isArray(tools)) return body;
  const capped = tools.map((tool: unknown) =>
    isRecord(tool) && /^web_(?:search|fetch)_/.test(String(tool["type"])) && typeof tool["max_uses"] !== "number"
      ? { ...tool, max_uses: most }
      : tool,
  );
  return capped.every((tool, at) => tool === tools[at]) ? body : spliceMembers(body, { tools: JSON.stringify(capped) });
}

/** What a report of usage says of what is charged beside tokens: tools, the tier, and whether it was the fast mode. */
export function messagesFees(usage: unknown): SeenFees | undefined {
  if (!isRecord(usage)) return undefined;
  const { speed, service_tier: tier } = usage;
  return seenFees({ counts: countedTools(usage), tier: speed === "fast" ? "fast" : tierIn(tier) });
}

/** The call of a tool in a block. */
export function callOfBlock(block: unknown): readonly SeenCall[] {
  if (!isRecord(block) || block["type"] !== "server_tool_use") return [];
  const { id, name } = block;
  const unit = typeof name === "string" ? unitOfTool(name.replace(/^(?:bash|text_editor)_code/, "code")) : undefined;
  if (unit === undefined) return [];
  return [{ unit, id: unit === "codeInterpreters" ? "session" : String(id) }];
}
