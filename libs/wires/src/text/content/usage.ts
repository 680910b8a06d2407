import { totalInputTokens, totalOutputTokens, type Units, withoutUndefined, type ToolUnit } from "@modelgate/contracts";
import { asRecords, isRecord, memberOf, type JsonRecord } from "@modelgate/formats/json";
import type { RequestedFees, RequestedTool, ReportedCall, ReportedExtraUsage } from "../fees.ts";
import { feesUnlessNone, requestedTiers, recordsWithPaths, reportedFees, normalizeTier } from "../fees.ts";
import { googleUsage, tokensByModality, type GoogleUsageForm } from "../hub/counts.ts";

const form: GoogleUsageForm = {
  totals: {
    input: "promptTokenCount",
    tools: "toolUsePromptTokenCount",
    cached: "cachedContentTokenCount",
    output: "candidatesTokenCount",
    reasoning: "thoughtsTokenCount",
  },
  lists: { input: "promptTokensDetails", cached: "cacheTokensDetails", output: "candidatesTokensDetails" },
  count: "tokenCount",
  names: { text: "TEXT", audio: "AUDIO", image: "IMAGE" },
};

export const contentUsage = (usage: unknown): Units | undefined => googleUsage(usage, form);

/**
 * Renders units as `usageMetadata`. There is no member for tokens written to a cache, so they are included in the
 * prompt tokens.
 */
export function renderUsage(units: Units): JsonRecord {
  const reasoningTokens = Math.min(units.reasoningTokens ?? 0, units.outputTokens ?? 0);
  const { inputAudioTokens, inputImageTokens, outputAudioTokens = 0, outputImageTokens = 0 } = units;
  const prompt = totalInputTokens(units);
  const candidates = totalOutputTokens(units) - reasoningTokens;
  return withoutUndefined({
    promptTokenCount: prompt,
    cachedContentTokenCount: units.cachedInputTokens,
    candidatesTokenCount: candidates,
    thoughtsTokenCount: reasoningTokens > 0 ? reasoningTokens : undefined,
    totalTokenCount: prompt + candidates + reasoningTokens,
    promptTokensDetails: tokensByModality(form, prompt, inputAudioTokens, inputImageTokens),
    candidatesTokensDetails:
      outputAudioTokens + outputImageTokens > 0
        ? tokensByModality(form, candidates, outputAudioTokens, outputImageTokens)
        : undefined,
  });
}

export const feeMembers = ["tools", "serviceTier", "service_tier"];

/** Units by which tools are billed. The names are in lower case, without underscores. */
const units: Readonly<Record<string, ToolUnit | undefined>> = {
  googlesearch: "webSearches",
  googlesearchretrieval: "webSearches",
  enterprisewebsearch: "webSearches",
  googlemaps: "webSearches",
  codeexecution: "codeInterpreters",
  filesearch: "fileSearches",
  retrieval: "fileSearches",
};

/** Tools that are not charged, because the client runs them. */
const freeTools: ReadonlySet<string> = new Set(["functiondeclarations", "computeruse"]);

export function requestedFees(body: JsonRecord): RequestedFees | undefined {
  return feesUnlessNone({
    tools: recordsWithPaths(body["tools"]).flatMap(([path, tool]) => vendorTools(`tools${path}`, tool)),
    tiers: requestedTiers(body, "serviceTier", "service_tier"),
  });
}

function vendorTools(path: string, tool: JsonRecord): readonly RequestedTool[] {
  return Object.entries(tool).flatMap(([name, value]) => {
    const folded = name.toLowerCase().replaceAll("_", "");
    if (value === undefined || value === null || freeTools.has(folded)) return [];
    return [{ path: `${path}.${name}`, unit: Object.hasOwn(units, folded) ? units[folded] : undefined }];
  });
}

export function contentFees({ candidates, usageMetadata: usage }: JsonRecord): ReportedExtraUsage | undefined {
  const calls = Array.isArray(candidates) ? candidates.filter(isRecord).flatMap(toolCallsOfCandidate) : [];
  const tier = isRecord(usage) ? normalizeTier(usage["serviceTier"] ?? usage["trafficType"]) : undefined;
  return reportedFees({ calls, tier });
}

/**
 * Lists the charged calls of a candidate. Each search query is one call. Code execution is one call, even if code ran
 * several times.
 */
function toolCallsOfCandidate({ index, content, groundingMetadata: grounding }: JsonRecord): readonly ReportedCall[] {
  const parts = asRecords(memberOf(content, "parts"));
  const ranCode = parts.some((part) => part["executableCode"] !== undefined);
  return [
    ...(isRecord(grounding) ? toolCallsOfGrounding(typeof index === "number" ? index : 0, grounding) : []),
    ...(ranCode ? [{ unit: "codeInterpreters", id: "session" } as const] : []),
  ];
}

function toolCallsOfGrounding(
  choice: number,
  { webSearchQueries, groundingChunks }: JsonRecord,
): readonly ReportedCall[] {
  const queries = Array.isArray(webSearchQueries) ? webSearchQueries : [];
  const chunks = asRecords(groundingChunks);
  const searches = queries.map(
    (query: unknown) => ({ unit: "webSearches", id: `${choice} ${String(query)}` }) as const,
  );
  const isReported = (name: string): boolean => chunks.some((chunk) => chunk[name] !== undefined);
  return [
    ...searches,
    ...(isReported("maps") ? [{ unit: "webSearches", id: `${choice} maps` } as const] : []),
    // An answer with web results but without queries is charged as one search.
    ...(searches.length === 0 && isReported("web") ? [{ unit: "webSearches", id: `${choice} web` } as const] : []),
    ...(isReported("retrievedContext") ? [{ unit: "fileSearches", id: `${choice} files` } as const] : []),
  ];
}
