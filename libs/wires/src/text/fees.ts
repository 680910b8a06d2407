import { type ToolUnit, type Units, withoutUndefined } from "@modelgate/contracts";
import { hasAny, isRecord, memberOf, type JsonRecord } from "@modelgate/formats/json";
import { modelMembers, modelMembersOf } from "../kind/index.ts";
import { parseCount } from "./hub/counts.ts";

/** A requested tool that the vendor runs. */
export interface RequestedTool {
  /** Path of the member that requests the tool, such as `tools[1]`. */
  readonly path: string;
  /** Unit by which the tool is billed; absent if it has no price. */
  readonly unit?: ToolUnit | undefined;
  /** True if the vendor charges only for the tokens that the tool adds. */
  readonly costsOnlyTokens?: boolean | undefined;
  readonly maxCalls?: number | undefined;
  /** Model that the tool uses. */
  readonly model?: string | undefined;
  /** Model that answers if the requested one declines, or advises it. Its price is checked like that of a tool. */
  readonly fallback?: string | undefined;
  /** True if the member makes the vendor choose another model. Only the gateway does that. */
  readonly choosesModel?: true;
  /** Unit of another tool that is free in a request with this tool. */
  readonly freeUnit?: ToolUnit | undefined;
  /** True if the vendor does not report the tool's calls. The tool is then billed as one call. */
  readonly isUnreported?: boolean | undefined;
  /** Path of a member that requests more than the usual quality or size. */
  readonly surchargePath?: string | undefined;
}

/** Charges that a request can cause in addition to tokens at the usual price. */
export interface RequestedFees {
  readonly tools: readonly RequestedTool[];
  /** Maximum number of calls of all tools together. */
  readonly maxCalls?: number | undefined;
  /** Requested service tiers. If empty, the vendor chooses the tier. */
  readonly tiers: readonly RequestedTier[];
}

/** A requested service tier. */
export interface RequestedTier {
  readonly name: string;
  /** Member that requests the tier. */
  readonly path: string;
  /** Another name of the same tier. */
  readonly alias?: string | undefined;
  /** True if the request is refused rather than sent without the tier. */
  readonly isRequired?: true;
}

/** A tool call in an answer. A repeated call has the same id. */
export interface ReportedCall {
  readonly unit: ToolUnit;
  readonly id: string;
}

/** Charges in addition to the usage, as an answer or a frame reports them. */
export interface ReportedExtraUsage {
  readonly calls?: readonly ReportedCall[] | undefined;
  /** Number of calls since the beginning of the answer. */
  readonly counts?: Units | undefined;
  readonly tier?: string | undefined;
  /** Another name of the tier. */
  readonly tierAlias?: string | undefined;
  /** Vendor's name of the model that answered, if the requested one declined. */
  readonly answeredBy?: string | undefined;
  /** Tokens in addition to the usage, such as those of a compaction. */
  readonly iterations?: readonly ReportedIteration[] | undefined;
}

/** Tokens of one model run that contributed to an answer. */
export interface ReportedIteration {
  /** Vendor's name of the model; absent for the requested model. */
  readonly model?: string | undefined;
  readonly units: Units;
}

/** Members of several wires by which clients request web search or further models. */
export const extensionFeeMembers = ["search_parameters", "enable_search", "plugins", ...modelMembers];

/**
 * Returns the objects in a list with their paths (`[1]`). A single object is treated as a list of one, because some
 * vendors accept it.
 */
export function recordsWithPaths(value: unknown): readonly (readonly [at: string, record: JsonRecord])[] {
  if (isRecord(value)) return [["", value]];
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown, index) => (isRecord(each) ? [[`[${index}]`, each] as const] : []));
}

export function feesUnlessNone(fees: RequestedFees): RequestedFees | undefined {
  return fees.tools.length === 0 && fees.tiers.length === 0 ? undefined : fees;
}

/** Units by which tools are billed, by patterns of the types or names that several vendors use. */
const toolUnitPatterns: readonly (readonly [RegExp, ToolUnit])[] = [
  [
    /^(?:web_search|web-search|live_search|x_search|browser_search|google_search|google_maps|\$web_search|web$)/,
    "webSearches",
  ],
  [/^(?:file_search|collections_search|retrieval)/, "fileSearches"],
  [/^(?:code_interpreter|code_execution)/, "codeInterpreters"],
  [/^image_generation/, "imageGenerations"],
];

/** Returns the unit by which a type of tool is billed; undefined if it has no price. */
export function unitOfTool(type: unknown): ToolUnit | undefined {
  return typeof type === "string" ? toolUnitPatterns.find(([pattern]) => pattern.test(type))?.[1] : undefined;
}

/** Returns the searches and models that a request names by vendor-specific members. */
export function requestedExtensions(body: JsonRecord): readonly RequestedTool[] {
  const { search_parameters: parameters, enable_search: enabled, plugins } = body;
  const isLiveSearch = isRecord(parameters) && parameters["mode"] !== "off";
  return [
    ...(isLiveSearch ? [{ path: "search_parameters", unit: "webSearches" } as const] : []),
    ...(enabled === undefined || enabled === null || enabled === false
      ? []
      : [{ path: "enable_search", unit: "webSearches" } as const]),
    ...recordsWithPaths(plugins).map(([path, { id }]) => ({
      path: `plugins${path}`,
      unit: unitOfTool(id),
    })),
    ...modelMembersOf(body).map((path) => ({ path, choosesModel: true, maxCalls: 0 }) as const),
  ];
}

const usualTiers: ReadonlySet<string> = new Set(
  "default standard standard_only on_demand provisioned_throughput".split(" "),
);

/** Returns the name of a service tier in prices; undefined if the vendor chooses the tier. */
export function normalizeTier(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const name = value.toLowerCase().replace(/^(?:service_tier|on_demand)_/, "");
  if (name === "" || name === "auto" || name.endsWith("unspecified")) return undefined;
  return usualTiers.has(name) ? "default" : name;
}

export function requestedTiers(body: JsonRecord, ...names: readonly string[]): readonly RequestedTier[] {
  return names.flatMap((path) => {
    const name = normalizeTier(body[path]);
    return name === undefined ? [] : [{ name, path }];
  });
}

/** OpenAI renamed the tier `priority` to `fast`. Requests may have both names, and answers report `priority`. */
const openAiAliases: ReadonlyMap<string, string> = new Map([
  ["fast", "priority"],
  ["priority", "fast"],
]);

/** Returns the requested tiers with OpenAI's other names, on wires whose clients may call OpenAI's models. */
export function openAiTiers(body: JsonRecord, ...names: readonly string[]): readonly RequestedTier[] {
  return requestedTiers(body, ...names).map((tier) =>
    withoutUndefined({ ...tier, alias: openAiAliases.get(tier.name) }),
  );
}

/** Reads the tier of an answer on OpenAI's wires. */
export function openAiTier(value: unknown): Pick<ReportedExtraUsage, "tier" | "tierAlias"> {
  const tier = normalizeTier(value);
  return { tier, tierAlias: openAiAliases.get(tier ?? "") };
}

const [anthropicMember, xaiMember] = ["server_tool_use", "server_side_tool_usage_details"] as const;
const toolCountMembers = ["num_search_queries", "num_sources_used", anthropicMember, xaiMember, "plugins"];

/** Reads the number of calls of vendor tools from a usage report, in several vendors' spellings. */
export function countedTools(usage: unknown): Units | undefined {
  if (!isRecord(usage) || !hasAny(usage, toolCountMembers)) return undefined;
  const within = (name: string, ...counts: readonly string[]): number =>
    counts.reduce((sum, count) => sum + countOrZero(memberOf(usage[name], count)), 0);
  const webSearches = Math.max(
    countOrZero(usage["num_search_queries"]),
    countOrZero(usage["num_sources_used"]),
    within(anthropicMember, "web_search_requests"),
    within(xaiMember, "web_search_calls", "x_search_calls"),
    countOrZero(memberOf(memberOf(usage["plugins"], "search"), "count")),
  );
  const codeInterpreters = Math.min(
    1,
    within(anthropicMember, "code_execution_requests") + within(xaiMember, "code_interpreter_calls"),
  );
  const fileSearches = within(xaiMember, "file_search_calls", "document_search_calls");
  if (webSearches + codeInterpreters + fileSearches === 0) return undefined;
  return {
    ...(webSearches > 0 ? { webSearches } : {}),
    ...(codeInterpreters > 0 ? { codeInterpreters } : {}),
    ...(fileSearches > 0 ? { fileSearches } : {}),
  };
}

function countOrZero(value: unknown): number {
  return parseCount(value) ?? 0;
}

export function reportedFees({
  calls = [],
  iterations = [],
  ...more
}: ReportedExtraUsage): ReportedExtraUsage | undefined {
  const { counts, tier, tierAlias, answeredBy } = more;
  const isNone = counts === undefined && tier === undefined && answeredBy === undefined;
  if (isNone && calls.length + iterations.length === 0) return undefined;
  return withoutUndefined({
    ...(calls.length > 0 ? { calls } : {}),
    ...(iterations.length > 0 ? { iterations } : {}),
    counts,
    tier,
    tierAlias,
    answeredBy,
  });
}
