import { inputTotal, outputTotal, type Units, type ToolUnit } from "@modelgate/contracts";
import { costlyMember } from "../../images/hub/pricing.ts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { spliceMembers } from "../../json/members.ts";
import {
  feesUnlessNone,
  requestedSearches,
  requestedTiers,
  countedTools,
  recordsIn,
  searchMembers,
  reportedFees,
  tierIn,
  unitOfTool,
  type RequestedFees,
  type RequestedTool,
  type ReportedCall,
  type ReportedFees,
} from "../fees.ts";
import { cacheWritesIn, countOf, unitsOf } from "../hub/counts.ts";
import type { JsonObject } from "../hub/request.ts";
import { memberOf } from "../pass.ts";

/** `usage` of a response as disjoint units; undefined where it has no tokens. Never negative. */
export function responsesUsage(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const input = countOf(usage["input_tokens"]);
  const output = countOf(usage["output_tokens"]);
  if (input === undefined && output === undefined) return undefined;
  const inputs = isRecord(usage["input_tokens_details"]) ? usage["input_tokens_details"] : {};
  const outputs = isRecord(usage["output_tokens_details"]) ? usage["output_tokens_details"] : {};
  const cachedInputTokens = countOf(inputs["cached_tokens"]) ?? 0;
  const cacheWriteTokens = countOf(inputs["cache_write_tokens"]) ?? 0;
  return unitsOf({
    inputTokens: Math.max(0, (input ?? 0) - cachedInputTokens - cacheWriteTokens),
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: output ?? 0,
    reasoningTokens: countOf(outputs["reasoning_tokens"]) ?? 0,
  });
}

/** Units as `usage`; audio and image tokens are in the totals, as this wire has no place of their own for them. */
export function renderUsage(units: Units): JsonObject {
  const input = inputTotal(units);
  const output = outputTotal(units);
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

/** The members that decide what is charged beside tokens. */
export const reliedForFees = ["tools", "max_tool_calls", "service_tier", ...searchMembers];

/** Tools that the client runs, and the search among tools, which costs nothing of its own. */
const unpaidTools: ReadonlySet<unknown> = new Set([
  "function",
  "custom",
  "computer",
  "computer_use",
  "computer_use_preview",
  "local_shell",
  "apply_patch",
  "tool_search",
]);

/** Items of the input that bring tools along. */
const bringingTools: ReadonlySet<unknown> = new Set(["additional_tools", "tool_search_output"]);

/** Finds the charges beside tokens that a request asks for; undefined for none. */
export function requestedFees(body: JsonRecord): RequestedFees | undefined {
  const most = body["max_tool_calls"];
  return feesUnlessNone({
    tools: [
      ...vendorTools("tools", body["tools"]),
      ...(Array.isArray(body["input"]) ? recordsIn(body["input"]) : []).flatMap(([at, item]) =>
        bringingTools.has(item["type"]) ? vendorTools(`input${at}.tools`, item["tools"]) : [],
      ),
      ...requestedSearches(body),
    ],
    maxCalls: typeof most === "number" && most >= 0 ? Math.trunc(most) : undefined,
    tiers: requestedTiers(body, "service_tier"),
  });
}

function vendorTools(path: string, tools: unknown): readonly RequestedTool[] {
  return recordsIn(tools).flatMap(([at, tool]) => vendorTool(`${path}${at}`, tool));
}

function vendorTool(path: string, tool: JsonRecord): readonly RequestedTool[] {
  const { type, model, environment } = tool;
  if (unpaidTools.has(type)) return [];
  if (type === "namespace") return vendorTools(`${path}.tools`, tool["tools"]);
  if (type === "shell") return isHosted(environment) ? [{ path, unit: "codeInterpreters" }] : [];
  const unit = typeof type === "string" ? unitOfTool(type) : undefined;
  if (unit !== "imageGenerations") return [{ path, unit }];
  const member = costlyMember(tool);
  return [
    {
      path,
      unit,
      model: typeof model === "string" ? model : undefined,
      surchargePath: member === undefined ? undefined : `${path}.${member}`,
    },
  ];
}

/** Returns true if a shell runs in a container of the vendor. */
function isHosted(environment: unknown): boolean {
  return isRecord(environment) && environment["type"] !== "local";
}

/** The calls of a request's tools bounded where the client sets no bound: the vendor answers without further ones. */
export function capTools(body: Buffer, most: number): Buffer {
  return typeof memberOf(body, "max_tool_calls") === "number"
    ? body
    : spliceMembers(body, { max_tool_calls: String(most) });
}

/** Units by which items of an output are billed. */
const units: Readonly<Record<string, ToolUnit>> = {
  web_search_call: "webSearches",
  file_search_call: "fileSearches",
  code_interpreter_call: "codeInterpreters",
  shell_call: "codeInterpreters",
  image_generation_call: "imageGenerations",
};

/** The call of a tool in an item. A session of code is one however often it is used; looking at what a search found does not count. */
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

/** Reads the charges beside tokens from a whole response. */
export function responsesFees({ output, usage, service_tier: tier }: JsonRecord): ReportedFees | undefined {
  const calls = Array.isArray(output) ? output.filter(isRecord).flatMap(callOfItem) : [];
  return reportedFees({ calls, counts: countedTools(usage), tier: tierIn(tier) });
}
