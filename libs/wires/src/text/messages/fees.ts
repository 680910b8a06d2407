import { isRecord, type JsonRecord, spliceMembers } from "@modelgate/formats/json";
import type { RequestedFees, RequestedTool, ReportedCall, ReportedExtraUsage } from "../fees.ts";
import {
  feesUnlessNone,
  requestedTiers,
  countedTools,
  recordsWithPaths,
  reportedFees,
  normalizeTier,
  unitOfTool,
} from "../fees.ts";
import { memberOf } from "../pass.ts";
import { messagesIterations } from "./iterations.ts";

export const feeMembers = ["tools", "mcp_servers", "service_tier", "speed", "fallbacks"];

/** Matches tools without a fee: those that the client runs, and the search among tools. */
const unpaidTool = /^(?:custom$|bash_|text_editor_|computer_|browser_|memory_|tool_search_tool_)/;

export function requestedFees(body: JsonRecord): RequestedFees | undefined {
  return feesUnlessNone({
    tools: [
      ...recordsWithPaths(body["tools"]).flatMap(([path, tool]) => vendorTool(`tools${path}`, tool)),
      ...recordsWithPaths(body["mcp_servers"]).map(([path]) => ({ path: `mcp_servers${path}` })),
      ...recordsWithPaths(body["fallbacks"]).flatMap(([path, { model }]) =>
        typeof model === "string" ? [{ path: `fallbacks${path}`, fallback: model }] : [],
      ),
    ],
    tiers: requestedTiers(body, "service_tier", "speed"),
  });
}

function vendorTool(path: string, { type = "custom", max_uses: max }: JsonRecord): readonly RequestedTool[] {
  if (typeof type !== "string") return [{ path }];
  if (unpaidTool.test(type)) return [];
  return [
    { path, unit: unitOfTool(type), maxCalls: typeof max === "number" && max >= 0 ? Math.trunc(max) : undefined },
  ];
}

/** Limits the numbers of searches and fetches if the client does not. At the limit, the vendor answers without them. */
export function capTools(body: Buffer, max: number): Buffer {
  const tools = memberOf(body, "tools");
  if (!Array.isArray(tools)) return body;
  const capped = tools.map((tool: unknown) =>
    isRecord(tool) && /^web_(?:search|fetch)_/.test(String(tool["type"])) && typeof tool["max_uses"] !== "number"
      ? { ...tool, max_uses: max }
      : tool,
  );
  return capped.every((tool, index) => tool === tools[index])
    ? body
    : spliceMembers(body, { tools: JSON.stringify(capped) });
}

/** Reads the charges that a usage reports in addition to its tokens: tools, tier, fast mode and iterations. */
export function messagesFees(usage: unknown): ReportedExtraUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { speed, service_tier: tier } = usage;
  const counts = countedTools(usage);
  return reportedFees({ counts, tier: speed === "fast" ? "fast" : normalizeTier(tier), ...messagesIterations(usage) });
}

export function callOfBlock(block: unknown): readonly ReportedCall[] {
  if (!isRecord(block) || block["type"] !== "server_tool_use") return [];
  const { id, name } = block;
  const unit = typeof name === "string" ? unitOfTool(name.replace(/^(?:bash|text_editor)_code/, "code")) : undefined;
  if (unit === undefined) return [];
  return [{ unit, id: unit === "codeInterpreters" ? "session" : String(id) }];
}
