import { isRecord, type JsonRecord } from "../../json/fields.ts";
import {
  askedFees,
  askedSearches,
  askedTiers,
  countedTools,
  recordsIn,
  reliedOfSearch,
  seenFees,
  tierIn,
  unitOfTool,
  type AskedFees,
  type AskedTool,
  type SeenFees,
} from "../fees.ts";

/** The members that decide what is charged beside tokens. */
export const reliedForFees = ["tools", "web_search_options", "service_tier", ...reliedOfSearch];

/** What a request asks of its vendor beside tokens; undefined for nothing. */
export function askedFeesOf(body: JsonRecord): AskedFees | undefined {
  const search = body["web_search_options"] ?? undefined;
  return askedFees({
    tools: [
      ...recordsIn(body["tools"]).flatMap(([at, tool]) => vendorTool(`tools${at}`, tool)),
      ...(search === undefined
        ? []
        : [{ path: "web_search_options", unit: "webSearches", isUnreported: true } as const]),
      ...askedSearches(body),
    ],
    tiers: askedTiers(body, "service_tier"),
  });
}

/** Clients run functions and free-text tools themselves; all else is the vendor's. */
function vendorTool(path: string, tool: JsonRecord): readonly AskedTool[] {
  const { type = "function", function: declared } = tool;
  if (type === "function" || type === "custom") return [];
  const named = type === "builtin_function" && isRecord(declared) ? declared["name"] : type;
  return [{ path, unit: typeof named === "string" ? unitOfTool(named) : undefined }];
}

/** What a whole answer, or the chunk with usage, says of what is charged beside tokens. */
export function chatFees({ usage, service_tier: tier }: JsonRecord): SeenFees | undefined {
  return seenFees({ counts: countedTools(usage), tier: tierIn(tier) });
}
