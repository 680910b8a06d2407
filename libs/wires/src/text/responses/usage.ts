import { totalInputTokens, totalOutputTokens, type Units, type ToolUnit } from "@modelgate/contracts";
import { memberAboveStandardPrice } from "../../images/hub/pricing.ts";
import { asRecord, isRecord, memberOf, type JsonRecord, splitWords, spliceMembers } from "@modelgate/formats/json";
import type { RequestedFees, RequestedTool, ReportedCall, ReportedExtraUsage } from "../fees.ts";
import {
  feesUnlessNone,
  requestedExtensions,
  openAiTier,
  openAiTiers,
  countedTools,
  recordsWithPaths,
  extensionFeeMembers,
  reportedFees,
  unitOfTool,
} from "../fees.ts";
import { cacheWritesIn, parseCount, withoutZeroUnits } from "../hub/counts.ts";
import { memberOf as memberInBody } from "../pass.ts";

/** Converts `usage` of a response to units; undefined if it has no token counts. */
export function responsesUsage(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const input = parseCount(usage["input_tokens"]);
  const output = parseCount(usage["output_tokens"]);
  if (input === undefined && output === undefined) return undefined;
  const inputs = asRecord(usage["input_tokens_details"]);
  const outputs = asRecord(usage["output_tokens_details"]);
  const cachedInputTokens = parseCount(inputs["cached_tokens"]) ?? 0;
  const writes = parseCount(inputs["cache_write_tokens"]) ?? 0;
  // Prices have one field for long caching: twelve hours of this vendor, one hour of others.
  const long = parseCount(memberOf(inputs["cache_write_tokens_details"], "ttl_12h_tokens")) ?? 0;
  const cacheWrite1hTokens = Math.min(long, writes);
  return withoutZeroUnits({
    inputTokens: Math.max(0, (input ?? 0) - cachedInputTokens - writes),
    cachedInputTokens,
    cacheWriteTokens: writes - cacheWrite1hTokens,
    cacheWrite1hTokens,
    outputTokens: output ?? 0,
    reasoningTokens: parseCount(outputs["reasoning_tokens"]) ?? 0,
  });
}

/**
 * Renders units as `usage`. There are no members for audio and image tokens, so they are included in the input or
 * output.
 */
export function renderUsage(units: Units): JsonRecord {
  const input = totalInputTokens(units);
  const output = totalOutputTokens(units);
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: units.cachedInputTokens ?? 0,
      cache_write_tokens: cacheWritesIn(units) ?? 0,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: units.reasoningTokens ?? 0 },
    total_tokens: input + output,
  };
}

export const feeMembers = ["tools", "max_tool_calls", "service_tier", ...extensionFeeMembers];

/** Tools that are not charged: those that the client runs, and the search among tools. */
const freeTools: ReadonlySet<unknown> = new Set(
  splitWords(`
    function custom computer computer_use computer_use_preview local_shell apply_patch tool_search
  `),
);

const itemsWithTools: ReadonlySet<unknown> = new Set(["additional_tools", "tool_search_output"]);

export function requestedFees(body: JsonRecord): RequestedFees | undefined {
  const max = body["max_tool_calls"];
  return feesUnlessNone({
    tools: [
      ...vendorTools("tools", body["tools"]),
      ...(Array.isArray(body["input"]) ? recordsWithPaths(body["input"]) : []).flatMap(([path, item]) =>
        itemsWithTools.has(item["type"]) ? vendorTools(`input${path}.tools`, item["tools"]) : [],
      ),
      ...requestedExtensions(body),
    ],
    maxCalls: typeof max === "number" && max >= 0 ? Math.trunc(max) : undefined,
    tiers: openAiTiers(body, "service_tier"),
  });
}

function vendorTools(path: string, tools: unknown): readonly RequestedTool[] {
  return recordsWithPaths(tools).flatMap(([recordPath, tool]) => vendorTool(`${path}${recordPath}`, tool));
}

function vendorTool(path: string, tool: JsonRecord): readonly RequestedTool[] {
  const { type, model, container, environment } = tool;
  if (freeTools.has(type)) return [];
  if (type === "mcp") return [{ path, costsOnlyTokens: true }];
  if (type === "namespace") return vendorTools(`${path}.tools`, tool["tools"]);
  if (type === "shell") return isHosted(environment) ? [containerTool(path, "environment", environment)] : [];
  const unit = unitOfTool(type);
  if (unit === "codeInterpreters") return [containerTool(path, "container", container)];
  if (unit !== "imageGenerations") return [{ path, unit }];
  const member = memberAboveStandardPrice(tool);
  return [
    {
      path,
      unit,
      model: typeof model === "string" ? model : undefined,
      surchargePath: member === undefined ? undefined : `${path}.${member}`,
    },
  ];
}

/** Size of a container at the usual price, which is the vendor's default. */
const usualMemory = "1g";

/** Returns a tool that runs code in a container. Larger containers cost more. */
function containerTool(path: string, member: string, container: unknown): RequestedTool {
  const size = memberOf(container, "memory_limit") ?? usualMemory;
  const surchargePath = size === usualMemory ? undefined : `${path}.${member}.memory_limit`;
  return { path, unit: "codeInterpreters", surchargePath };
}

function isHosted(environment: unknown): boolean {
  return isRecord(environment) && environment["type"] !== "local";
}

/** Limits the number of tool calls, unless the client limits it. At the limit, the vendor answers without tools. */
export function capTools(body: Buffer, max: number): Buffer {
  return typeof memberInBody(body, "max_tool_calls") === "number"
    ? body
    : spliceMembers(body, { max_tool_calls: String(max) });
}

const units: Readonly<Record<string, ToolUnit>> = {
  web_search_call: "webSearches",
  file_search_call: "fileSearches",
  code_interpreter_call: "codeInterpreters",
  shell_call: "codeInterpreters",
  image_generation_call: "imageGenerations",
};

/** Returns the charged call in an item. Opening a search result is free. */
export function callOfItem(item: JsonRecord): readonly ReportedCall[] {
  const { type, id, container_id: container, action, environment } = item;
  const unit = typeof type === "string" && Object.hasOwn(units, type) ? units[type] : undefined;
  if (unit === undefined) return [];
  if (unit === "webSearches" && isRecord(action) && typeof action["type"] === "string" && action["type"] !== "search")
    return [];
  if (type === "shell_call" && !isHosted(environment)) return [];
  const session = isRecord(environment) ? environment["container_id"] : container;
  return [{ unit, id: String(unit === "codeInterpreters" ? (session ?? "session") : id) }];
}

export function responsesFees(response: JsonRecord): ReportedExtraUsage | undefined {
  const { output, usage, tool_usage: toolUsage, service_tier: tier } = response;
  const calls = Array.isArray(output) ? output.filter(isRecord).flatMap(callOfItem) : [];
  const counts = countedTools(usage);
  // One item may stand for several searches.
  const searches = parseCount(memberOf(memberOf(toolUsage, "web_search"), "num_requests")) ?? 0;
  return reportedFees({
    calls,
    counts: searches > (counts?.webSearches ?? 0) ? { ...counts, webSearches: searches } : counts,
    ...openAiTier(tier),
  });
}
