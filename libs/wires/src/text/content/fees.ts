import { isRecord, type JsonRecord } from "../../json/fields.ts";
import {
  askedFees,
  askedTiers,
  recordsIn,
  seenFees,
  tierIn,
  type AskedFees,
  type AskedTool,
  type SeenCall,
  type SeenFees,
} from "../fees.ts";
import type { ToolUnit } from "@modelgate/contracts";

/** The members that decide what is charged beside tokens. */
export const reliedForFees = ["tools", "serviceTier", "service_tier"];

/** What the vendor's tools are billed as, without case and underscores; undefined: no price has a word for them. */
const units: Readonly<Record<string, ToolUnit | undefined>> = {
  googlesearch: "webSearches",
  googlesearchretrieval: "webSearches",
  enterprisewebsearch: "webSearches",
  googlemaps: "webSearches",
  codeexecution: "codeInterpreters",
  filesearch: "fileSearches",
  retrieval: "fileSearches",
};

/** Members of a tool that cost nothing: what the client runs. */
const unpaid: ReadonlySet<string> = new Set(["functiondeclarations", "computeruse"]);

/** What a request asks of its vendor beside tokens; undefined for nothing. */
export function askedFeesOf(body: JsonRecord): AskedFees | undefined {
  return askedFees({
    tools: recordsIn(body["tools"]).flatMap(([at, tool]) => vendorTools(`tools${at}`, tool)),
    tiers: askedTiers(body, "serviceTier", "service_tier"),
  });
}

function vendorTools(path: string, tool: JsonRecord): readonly AskedTool[] {
  return Object.entries(tool).flatMap(([name, value]) => {
    const folded = name.toLowerCase().replaceAll("_", "");
    if (value === undefined || value === null || unpaid.has(folded)) return [];
    return [{ path: `${path}.${name}`, unit: Object.hasOwn(units, folded) ? units[folded] : undefined }];
  });
}

/** What an answer, or a piece of one, says of what is charged beside tokens. */
export function contentFees({ candidates, usageMetadata: usage }: JsonRecord): SeenFees | undefined {
  const calls = Array.isArray(candidates) ? candidates.filter(isRecord).flatMap(callsOfCandidate) : [];
  const tier = isRecord(usage) ? tierIn(usage["serviceTier"] ?? usage["trafficType"]) : undefined;
  return seenFees({ calls, tier });
}

/** Each query is a search; a session of code is one however often it is used. */
function callsOfCandidate({ index, content, groundingMetadata: grounding }: JsonRecord): readonly SeenCall[] {
  const parts = isRecord(content) && Array.isArray(content["parts"]) ? content["parts"].filter(isRecord) : [];
  const code = parts.some((part) => part["executableCode"] !== undefined);
  return [
    ...(isRecord(grounding) ? callsOfGrounding(typeof index === "number" ? index : 0, grounding) : []),
    ...(code ? [{ unit: "codeInterpreters", id: "session" } as const] : []),
  ];
}

function callsOfGrounding(choice: number, { webSearchQueries, groundingChunks }: JsonRecord): readonly SeenCall[] {
  const queries = Array.isArray(webSearchQueries) ? webSearchQueries : [];
  const chunks = Array.isArray(groundingChunks) ? groundingChunks.filter(isRecord) : [];
  const searches = queries.map(
    (query: unknown) => ({ unit: "webSearches", id: `${choice} ${String(query)}` }) as const,
  );
  const found = (name: string): boolean => chunks.some((chunk) => chunk[name] !== undefined);
  return [
    ...searches,
    ...(found("maps") ? [{ unit: "webSearches", id: `${choice} maps` } as const] : []),
    // Some answers name what they found on the web without the queries.
    ...(searches.length === 0 && found("web") ? [{ unit: "webSearches", id: `${choice} web` } as const] : []),
    ...(found("retrievedContext") ? [{ unit: "fileSearches", id: `${choice} files` } as const] : []),
  ];
}
