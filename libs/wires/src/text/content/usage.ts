import { totalInputTokens, totalOutputTokens, type Units, withoutUndefined, type ToolUnit } from "@modelgate/contracts";
import { asRecords, isRecord, ownEntry, type JsonRecord } from "@modelgate/formats/json";
import type { RequestedFees, RequestedTool, ReportedCall, ReportedExtraUsage } from "../fees.ts";
import { feesUnlessNone, openAiTiers, recordsWithPaths, reportedFees, normalizeTier } from "../fees.ts";
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
const units: Readonly<Record<string, ToolUnit>> = {
  googlesearch: "webSearches",
  googlesearchretrieval: "webSearches",
  enterprisewebsearch: "webSearches",
  googlemaps: "webSearches",
  filesearch: "fileSearches",
  retrieval: "fileSearches",
};

/** Tools that are not charged, because the client runs them. */
const freeTools: ReadonlySet<string> = new Set(["functiondeclarations", "computeruse"]);
const tokenTools: ReadonlySet<string> = new Set(["urlcontext", "codeexecution"]);

export function requestedFees(body: JsonRecord): RequestedFees | undefined {
  return feesUnlessNone({
    tools: recordsWithPaths(body["tools"]).flatMap(([path, tool]) => vendorTools(`tools${path}`, tool)),
    tiers: openAiTiers(body, "serviceTier", "service_tier"),
  });
}

function vendorTools(path: string, tool: JsonRecord): readonly RequestedTool[] {
  return Object.entries(tool).flatMap(([name, value]) => {
    const folded = name.toLowerCase().replaceAll("_", "");
    if (value === undefined || value === null || freeTools.has(folded)) return [];
    const tool = { path: `${path}.${name}`, unit: ownEntry(units, folded) };
    return [tokenTools.has(folded) ? { ...tool, costsOnlyTokens: true } : tool];
  });
}

/** Models whose searches are charged once for a request. Later models are charged for each query. */
const searchesByRequest = /^gemini-[12]\b/;

export function chargesSearchesByRequest(model: unknown): boolean {
  return typeof model === "string" && searchesByRequest.test(model);
}

export function contentFees({
  candidates,
  usageMetadata: usage,
  modelVersion: model,
}: JsonRecord): ReportedExtraUsage | undefined {
  const isByRequest = chargesSearchesByRequest(model);
  const calls = asRecords(candidates).flatMap(({ index, groundingMetadata: grounding }) =>
    isRecord(grounding) ? callsOfGrounding(typeof index === "number" ? index : 0, grounding, isByRequest) : [],
  );
  const tier = isRecord(usage) ? normalizeTier(usage["serviceTier"] ?? usage["trafficType"]) : undefined;
  return reportedFees({ calls, tier });
}

function callsOfGrounding(
  choice: number,
  { webSearchQueries, imageSearchQueries, groundingChunks }: JsonRecord,
  isByRequest: boolean,
): readonly ReportedCall[] {
  const queries = [...queriesIn(webSearchQueries), ...queriesIn(imageSearchQueries).map((query) => `image\n${query}`)];
  const chunks = asRecords(groundingChunks);
  const isReported = (name: string): boolean => chunks.some((chunk) => chunk[name] !== undefined);
  // An answer with web results but without queries is charged as one search.
  const searches = queries.length === 0 && isReported("web") ? ["web"] : queries;
  const ids = isByRequest ? searches.map(() => "request") : searches.map((query) => `${choice} ${query}`);
  return [
    ...ids.map((id) => ({ unit: "webSearches", id }) as const),
    ...(isReported("maps") ? [{ unit: "webSearches", id: `${choice} maps` } as const] : []),
    ...(isReported("retrievedContext") ? [{ unit: "fileSearches", id: `${choice} files` } as const] : []),
  ];
}

/** Returns the queries of a list. The vendor does not charge for empty ones. */
function queriesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String).filter((query) => query !== "") : [];
}
