import { type ToolUnit, type Units, withoutUndefined } from "@modelgate/contracts";
import { hasAny, isRecord, type JsonRecord } from "@modelgate/formats/json";

/** A tool that the vendor runs, as requested. */
export interface RequestedTool {
  /** Path of the member that requests it: `tools[1]`. */
  readonly path: string;
  /** Unit by which the tool is billed; absent: no price exists. */
  readonly unit?: ToolUnit | undefined;
  /** Maximum number of calls, if the request limits them. */
  readonly maxCalls?: number | undefined;
  /** Model that the tool uses, in addition to the model that answers. */
  readonly model?: string | undefined;
  /** Model that answers if the requested one declines; its price is checked like that of a tool. */
  readonly fallback?: string | undefined;
  /** True if the vendor does not report the tool's calls; the tool is then billed as one call. */
  readonly isUnreported?: boolean | undefined;
  /** Path of a member that requests more than the usual quality or size: `tools[1].quality`. */
  readonly surchargePath?: string | undefined;
}

/** Charges that a request can cause in addition to tokens at the usual price. */
export interface RequestedFees {
  readonly tools: readonly RequestedTool[];
  /** Maximum number of calls of all tools together, if the request limits them. */
  readonly maxCalls?: number | undefined;
  /** Requested service tiers; `default` is the tier at the usual price. Empty: the vendor chooses the tier. */
  readonly tiers: readonly { readonly name: string; readonly path: string }[];
}

/** A tool call in an answer. Repetitions of a call in the answer have the same id. */
export interface ReportedCall {
  readonly unit: ToolUnit;
  readonly id: string;
}

/** Charges in addition to the usage that are reported by an answer or by one frame of it. */
export interface ReportedExtraUsage {
  readonly calls?: readonly ReportedCall[] | undefined;
  /** Calls that the vendor counted since the answer's beginning. */
  readonly counts?: Units | undefined;
  /** Service tier that served the call; `default` is the usual one. */
  readonly tier?: string | undefined;
  /** Vendor's model that answered, if the requested one declined. */
  readonly answeredBy?: string | undefined;
  /** Tokens in addition to those of the usage, such as those of a compaction. */
  readonly iterations?: readonly ReportedIteration[] | undefined;
}

/** Tokens of one run of a model for an answer. */
export interface ReportedIteration {
  /** Vendor's name of the model; absent: the requested one. */
  readonly model?: string | undefined;
  readonly units: Units;
}

/** Members that request web search, which is charged in addition to tokens, on the wires that share them. */
export const searchMembers = ["search_parameters", "enable_search", "plugins"] as const;

/** Returns the records in a list with their paths (`[1]`). Lenient parsers also accept a single record as a list. */
export function recordsWithPaths(value: unknown): readonly (readonly [at: string, record: JsonRecord])[] {
  if (isRecord(value)) return [["", value]];
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown, index) => (isRecord(each) ? [[`[${index}]`, each] as const] : []));
}

export function feesUnlessNone(fees: RequestedFees): RequestedFees | undefined {
  return fees.tools.length === 0 && fees.tiers.length === 0 ? undefined : fees;
}

/** Units by types or names of tools, as several vendors spell them. */
const toolUnitPatterns: readonly (readonly [RegExp, ToolUnit])[] = [
  [
    /^(?:web_search|web-search|live_search|x_search|browser_search|google_search|google_maps|\$web_search|web$)/,
    "webSearches",
  ],
  [/^(?:file_search|collections_search|retrieval)/, "fileSearches"],
  [/^(?:code_interpreter|code_execution)/, "codeInterpreters"],
  [/^image_generation/, "imageGenerations"],
];

/** Returns the unit by which a type of tool is billed; undefined if no price exists, or if the type is not a text. */
export function unitOfTool(type: unknown): ToolUnit | undefined {
  return typeof type === "string" ? toolUnitPatterns.find(([pattern]) => pattern.test(type))?.[1] : undefined;
}

/** Finds the searches that a request enables by members which vendors added to the common wires. */
export function requestedSearches(body: JsonRecord): readonly RequestedTool[] {
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
  ];
}

/** Vendors' names of the tier at the usual price. */
const usualTiers: ReadonlySet<string> = new Set(
  "default standard standard_only on_demand provisioned_throughput".split(" "),
);

/** Returns a service tier by the name that prices use; undefined if it is absent or the vendor may choose. */
export function normalizeTier(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const name = value.toLowerCase().replace(/^(?:service_tier|on_demand)_/, "");
  if (name === "" || name === "auto" || name.endsWith("unspecified")) return undefined;
  return usualTiers.has(name) ? "default" : name;
}

export function requestedTiers(body: JsonRecord, ...names: readonly string[]): RequestedFees["tiers"] {
  return names.flatMap((path) => {
    const name = normalizeTier(body[path]);
    return name === undefined ? [] : [{ name, path }];
  });
}

const [anthropicMember, xaiMember] = ["server_tool_use", "server_side_tool_usage_details"] as const;
const readToolCounts = ["num_search_queries", "num_sources_used", anthropicMember, xaiMember, "plugins"];

/** Reads how often vendor tools were called from a usage report, in several vendors' spellings; undefined for none. */
export function countedTools(usage: unknown): Units | undefined {
  if (!isRecord(usage) || !hasAny(usage, readToolCounts)) return undefined;
  const within = (name: string, ...counts: readonly string[]): number => {
    const reported = usage[name];
    return isRecord(reported) ? counts.reduce((sum, count) => sum + countOrZero(reported[count]), 0) : 0;
  };
  const plugins = usage["plugins"];
  const search = isRecord(plugins) && isRecord(plugins["search"]) ? countOrZero(plugins["search"]["count"]) : 0;
  const webSearches = Math.max(
    countOrZero(usage["num_search_queries"]),
    countOrZero(usage["num_sources_used"]),
    within(anthropicMember, "web_search_requests"),
    within(xaiMember, "web_search_calls", "x_search_calls"),
    search,
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
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

export function reportedFees({
  calls = [],
  iterations = [],
  ...more
}: ReportedExtraUsage): ReportedExtraUsage | undefined {
  const { counts, tier, answeredBy } = more;
  const isNone = counts === undefined && tier === undefined && answeredBy === undefined;
  if (isNone && calls.length + iterations.length === 0) return undefined;
  return withoutUndefined({
    ...(calls.length > 0 ? { calls } : {}),
    ...(iterations.length > 0 ? { iterations } : {}),
    counts,
    tier,
    answeredBy,
  });
}
