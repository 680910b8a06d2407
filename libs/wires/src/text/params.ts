import { hasAny, isRecord, type JsonRecord } from "../json/fields.ts";
import type { RequestedFees } from "./fees.ts";
import type { Media } from "./media.ts";

/** Parameters of a text request that admission and pass-through need, the same for every wire. */
export interface TextParams {
  readonly model: string;
  readonly stream: boolean;
  /** True if the client wants usage in its stream; only the chat wire has a choice. */
  readonly includeUsage: boolean;
  /** True if the client wants the cost in its answer's usage, and so in its stream; absent: not. */
  readonly showsCost?: boolean | undefined;
  /** Maximum output tokens over all choices, by the largest bound of the body; undefined where the client set none. */
  readonly maxOutputTokens: number | undefined;
  /** The members of the body that bound its output: a vendor is sent one of them. */
  readonly boundNames: readonly string[];
  /** Members that other vendors of the wire understand, and its own refuses; absent: none were looked for. */
  readonly foreignNames?: readonly string[];
  /** True if the vendor may read input that is not in the body. */
  readonly readsBeyond: boolean;
  readonly choices: number;
  readonly media: Media;
  /** Requested class of size of images, as 4K; only the content wire has one. */
  readonly imageSize?: string | undefined;
  /** Charges beside tokens; absent: none. */
  readonly fees?: RequestedFees | undefined;
}

/**
 * Members under which some vendor reads a bound of its output. A body may hold several, and vendors differ in which one
 * they take: a call is held for the largest, and its vendor is sent one.
 */
const boundNames = [
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "max_new_tokens",
  "max_tokens_to_sample",
  "maxTokens",
  "maxOutputTokens",
] as const;

interface Bounds {
  /** The largest bound; undefined where the wire's own members hold none. */
  readonly most: number | undefined;
  readonly names: readonly string[];
}

/** The bounds in a body; `own` are the members that its wire has for them. */
export function boundsIn(body: object, own: readonly string[]): Bounds {
  const record: JsonRecord = isRecord(body) ? body : {};
  if (!hasAny(record, boundNames)) return { most: undefined, names: [] };
  const names = boundNames.filter((name) => (record[name] ?? undefined) !== undefined);
  if (!hasAny(record, own)) return { most: undefined, names };
  return { most: Math.max(0, ...names.map((name) => wholeNumber(record[name]))), names };
}

/** Members of a body that must not go to a vendor that reads its bound in the first of `order` that is there. */
export function surplusBounds(names: readonly string[], order: readonly string[]): readonly string[] {
  const read = order.find((name) => names.includes(name));
  return read === undefined ? [] : names.filter((name) => name !== read);
}

/** Tokens of thoughts that a chat body asks for beside its bound, as vendors other than the wire's own spell it. */
export function extraThoughtTokens(body: object): number {
  const { thinking_budget: budget, thinking, reasoning }: JsonRecord = isRecord(body) ? body : {};
  const inThinking = isRecord(thinking) ? thinking["budget_tokens"] : undefined;
  const inReasoning = isRecord(reasoning) ? reasoning["max_tokens"] : undefined;
  return Math.max(0, ...[budget, inThinking, inReasoning].map(wholeNumber));
}

/** A whole number of a body, above 0; 0 for anything else. */
export function wholeNumber(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : 0;
}

/** Members by which a vendor reads more than the body holds: what it keeps, or what it searches for. */
const beyond = [
  "previous_response_id",
  "conversation",
  "web_search_options",
  "search_parameters",
  "enable_search",
  "plugins",
  "mcp_servers",
  "container",
  "cachedContent",
  "cached_content",
];

/** Tools that the client runs itself: their results come in a body. */
const ownTools: ReadonlySet<unknown> = new Set([undefined, null, "function", "custom"]);

/** Returns true if a vendor may read input for this request that is not in its body. */
export function readsBeyond(body: object): boolean {
  const record: JsonRecord = isRecord(body) ? body : {};
  if (hasAny(record, beyond) || isRecord(record["prompt"])) return true;
  const { tools } = record;
  return Array.isArray(tools) && tools.some((tool: unknown) => !isRecord(tool) || !isOwnTool(tool));
}

function isOwnTool(tool: JsonRecord): boolean {
  if (!ownTools.has(tool["type"])) return false;
  // Generated content has no type but a member for each kind of tool.
  const isNamed = tool["name"] !== undefined || tool["function"] !== undefined || tool["custom"] !== undefined;
  return isNamed || Object.keys(tool).every((name) => /^function_?declarations$/i.test(name));
}
