import { type ToolUnit, type Units, present } from "@modelgate/contracts";
import { hasAny, isRecord, type JsonRecord } from "../json/fields.ts";

/** A tool that the vendor runs, as a request asks for it. */
export interface RequestedTool {
  /** Path of the member that asks for it: `tools[1]`. */
  readonly path: string;
  /** Unit by which it is billed; absent: no price has a word for it. */
  readonly unit?: ToolUnit | undefined;
  /** Maximum calls of it, where the request bounds them. */
  readonly most?: number | undefined;
  /** The model that it names for its work, beside the one that answers. */
  readonly model?: string | undefined;
  /** True if its vendor reports no calls of it: it is billed as called once. */
  readonly isUnreported?: boolean | undefined;
  /** Path of a member that requests more than the usual quality or size: `tools[1].quality`. */
  readonly surchargePath?: string | undefined;
}

/** Charges beside tokens at the usual price that a request asks for. */
export interface RequestedFees {
  readonly tools: readonly RequestedTool[];
  /** Most calls of all tools together, where the request bounds them. */
  readonly maxCalls?: number | undefined;
  /** The requested service tiers, `default` for the usual one; none: the vendor chooses. */
  readonly tiers: readonly { readonly name: string; readonly path: string }[];
}

/** A call of a tool in an answer; the same call has the same id wherever the answer repeats it. */
export interface ReportedCall {
  readonly unit: ToolUnit;
  readonly id: string;
}

/** Charges beside tokens that an answer, or a frame of one, reports. */
export interface ReportedFees {
  readonly calls?: readonly ReportedCall[] | undefined;
  /** Calls that the vendor counted, from the answer's beginning on. */
  readonly counts?: Units | undefined;
  /** The service tier that served the call, `default` for the usual one. */
  readonly tier?: string | undefined;
}

/** The members of a body that decide what is charged beside tokens, in the wires that share them. */
export const searchMembers = ["search_parameters", "enable_search", "plugins"] as const;

/** A list of a body, a single object as the list of it, as lenient parsers take it. */
export function recordsIn(value: unknown): readonly (readonly [at: string, record: JsonRecord])[] {
  if (isRecord(value)) return [["", value]];
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown, index) => (isRecord(each) ? [[`[${index}]`, each] as const] : []));
}

/** Returns undefined where there is nothing to charge apart from tokens. */
export function feesUnlessNone(fees: RequestedFees): RequestedFees | undefined {
  return fees.tools.length === 0 && fees.tiers.length === 0 ? undefined : fees;
}

/** Units by types or names of tools, in the words of several vendors. */
const kinds: readonly (readonly [RegExp, ToolUnit])[] = [
  [
    /^(?:web_search|web-search|live_search|x_search|browser_search|google_search|google_maps|\$web_search|web$)/,
    "webSearches",
  ],
  [/^(?:file_search|collections_search|retrieval)/, "fileSearches"],
  [/^(?:code_interpreter|code_execution)/, "codeInterpreters"],
  [/^image_generation/, "imageGenerations"],
];

/** Finds the unit by which a tool of such a type is billed; undefined where prices have no word for it. */
export function unitOfTool(type: string): ToolUnit | undefined {
  return kinds.find(([pattern]) => pattern.test(type))?.[1];
}

/** Vendors of the common wires that search, by members of their own. */
export function requestedSearches(body: JsonRecord): readonly RequestedTool[] {
  const { search_parameters: parameters, enable_search: enabled, plugins } = body;
  const live = isRecord(parameters) && parameters["mode"] !== "off";
  return [
    ...(live ? [{ path: "search_parameters", unit: "webSearches" } as const] : []),
    ...(enabled === undefined || enabled === null || enabled === false
      ? []
      : [{ path: "enable_search", unit: "webSearches" } as const]),
    ...recordsIn(plugins).map(([at, { id }]) => ({
      path: `plugins${at}`,
      unit: typeof id === "string" ? unitOfTool(id) : undefined,
    })),
  ];
}

/** Words of vendors for the tier that costs the usual price. */
const usualTiers: ReadonlySet<string> = new Set([
  "default",
  "standard",
  "standard_only",
  "on_demand",
  "provisioned_throughput",
]);

/** A service tier in the words of prices; undefined for none, or where the vendor is to choose. */
export function tierIn(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const name = value.toLowerCase().replace(/^(?:service_tier|on_demand)_/, "");
  if (name === "" || name === "auto" || name.endsWith("unspecified")) return undefined;
  return usualTiers.has(name) ? "default" : name;
}

/** The tiers that members of a body ask for. */
export function requestedTiers(body: JsonRecord, ...names: readonly string[]): RequestedFees["tiers"] {
  return names.flatMap((path) => {
    const name = tierIn(body[path]);
    return name === undefined ? [] : [{ name, path }];
  });
}

const [own, sided] = ["server_tool_use", "server_side_tool_usage_details"] as const;
const countsOfTools = ["num_search_queries", "num_sources_used", own, sided, "plugins"];

/** Reads the counts of tools that the vendor ran from a report of usage, in the words of several vendors; undefined for none. */
export function countedTools(usage: unknown): Units | undefined {
  if (!isRecord(usage) || !hasAny(usage, countsOfTools)) return undefined;
  const within = (name: string, ...counts: readonly string[]): number => {
    const found = usage[name];
    return isRecord(found) ? counts.reduce((sum, count) => sum + numberOf(found[count]), 0) : 0;
  };
  const plugins = usage["plugins"];
  const search = isRecord(plugins) && isRecord(plugins["search"]) ? numberOf(plugins["search"]["count"]) : 0;
  const webSearches = Math.max(
    numberOf(usage["num_search_queries"]),
    numberOf(usage["num_sources_used"]),
    within(own, "web_search_requests"),
    within(sided, "web_search_calls", "x_search_calls"),
    search,
  );
  const codeInterpreters = Math.min(
    1,
    within(own, "code_execution_requests") + within(sided, "code_interpreter_calls"),
  );
  const fileSearches = within(sided, "file_search_calls", "document_search_calls");
  if (webSearches + codeInterpreters + fileSearches === 0) return undefined;
  return {
    ...(webSearches > 0 ? { webSearches } : {}),
    ...(codeInterpreters > 0 ? { codeInterpreters } : {}),
    ...(fileSearches > 0 ? { fileSearches } : {}),
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

/** Returns undefined where nothing was reported. */
export function reportedFees({ calls = [], counts, tier }: ReportedFees): ReportedFees | undefined {
  if (calls.length === 0 && counts === undefined && tier === undefined) return undefined;
  return present({
    ...(calls.length > 0 ? { calls } : {}),
    counts,
    tier,
  });
}
