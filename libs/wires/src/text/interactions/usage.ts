import { totalInputTokens, totalOutputTokens, withoutUndefined, type ToolUnit, type Units } from "@modelgate/contracts";
import { memberOf, ownEntry, asRecords, type JsonRecord } from "@modelgate/formats/json";
import type { ReportedCall, ReportedExtraUsage, RequestedFees } from "../fees.ts";
import {
  feesUnlessNone,
  recordsWithPaths as toolsIn,
  reportedFees,
  openAiTiers,
  normalizeTier,
  unitOfTool,
} from "../fees.ts";
import { chargesSearchesByRequest } from "../content/usage.ts";
import { googleUsage, parseCount, tokensByModality, type GoogleUsageForm } from "../hub/counts.ts";

const form: GoogleUsageForm = {
  totals: {
    input: "total_input_tokens",
    tools: "total_tool_use_tokens",
    cached: "total_cached_tokens",
    output: "total_output_tokens",
    reasoning: "total_thought_tokens",
  },
  lists: {
    input: "input_tokens_by_modality",
    cached: "cached_tokens_by_modality",
    output: "output_tokens_by_modality",
  },
  count: "tokens",
  names: { text: "text", audio: "audio", image: "image" },
};

export const interactionsUsage = (usage: unknown): Units | undefined => googleUsage(usage, form);

/** Renders units as `usage`. There is no member for tokens written to a cache, so they are included in the input. */
export function renderUsage(units: Units): JsonRecord {
  const reasoningTokens = Math.min(units.reasoningTokens ?? 0, units.outputTokens ?? 0);
  const [input, output] = [totalInputTokens(units), totalOutputTokens(units) - reasoningTokens];
  return withoutUndefined({
    total_input_tokens: input,
    input_tokens_by_modality: tokensByModality(form, input, units.inputAudioTokens, units.inputImageTokens),
    total_cached_tokens: units.cachedInputTokens ?? 0,
    total_output_tokens: output,
    output_tokens_by_modality: tokensByModality(form, output, units.outputAudioTokens, units.outputImageTokens),
    total_thought_tokens: reasoningTokens,
    total_tool_use_tokens: 0,
    total_tokens: input + output + reasoningTokens,
  });
}

export const feeMembers = ["tools", "service_tier"];

/** Tools that are not charged, because the client runs them. */
const freeTools: ReadonlySet<unknown> = new Set(["function", "computer_use"]);
const tokenTools: ReadonlySet<unknown> = new Set(["url_context", "code_execution"]);

export function requestedFees(body: JsonRecord): RequestedFees | undefined {
  const tools = toolsIn(body["tools"]).filter(([, { type }]) => !freeTools.has(type));
  return feesUnlessNone({
    tools: tools.map(([path, { type }]) =>
      tokenTools.has(type)
        ? { path: `tools${path}`, costsOnlyTokens: true }
        : { path: `tools${path}`, unit: unitOfTool(type) },
    ),
    tiers: openAiTiers(body, "service_tier"),
  });
}

const toolUnits: Readonly<Record<string, ToolUnit>> = {
  google_search: "webSearches",
  google_maps: "webSearches",
  retrieval: "fileSearches",
};

/** Reads the charges in addition to tokens. */
export function interactionsFees({
  steps,
  usage,
  model,
  service_tier: tier,
}: JsonRecord): ReportedExtraUsage | undefined {
  const isByRequest = chargesSearchesByRequest(model);
  const counts: Units = {};
  for (const { type, count } of asRecords(memberOf(usage, "grounding_tool_count"))) {
    const unit = typeof type === "string" ? ownEntry(toolUnits, type) : undefined;
    const calls = parseCount(count) ?? 0;
    if (unit !== undefined) counts[unit] = (counts[unit] ?? 0) + (isByRequest ? Math.min(1, calls) : calls);
  }
  return reportedFees({
    calls: asRecords(steps).flatMap((step) => callsOfStep(step).slice(0, isByRequest ? 1 : undefined)),
    counts: Object.keys(counts).length > 0 ? counts : undefined,
    tier: normalizeTier(tier),
  });
}

/** Returns the charged calls of a step. Each search query is one call. */
export function callsOfStep({ type, id, arguments: args }: JsonRecord): readonly ReportedCall[] {
  const unit = typeof type === "string" && type.endsWith("_call") ? unitOfTool(type) : undefined;
  // The vendor charges nothing but tokens for running code.
  if (unit === undefined || unit === "codeInterpreters") return [];
  const queries = memberOf(args, "queries");
  const max = Array.isArray(queries) && queries.length > 0 ? queries.length : 1;
  return Array.from({ length: max }, (_, index) => ({ unit, id: `${String(id)} ${index}` }));
}
