import { withoutUndefined, Failure, type TextWireName } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { CacheHint, Part, TextPart } from "./part.ts";

/**
 * Name and description of a tool, and of the namespace that it belongs to on the responses wire. On other wires, the
 * namespace is part of the tool's name.
 */
export interface NamespacedTool {
  readonly namespace: string;
  readonly namespaceDescription?: string | undefined;
  readonly name: string;
  /** Description of the tool. On other wires, the description of a namespace is added to that of its first tool. */
  readonly description?: string | undefined;
}

export type Tool =
  | {
      readonly kind: "function";
      readonly name: string;
      readonly description?: string | undefined;
      readonly parameters?: JsonRecord | undefined;
      readonly strict?: boolean | undefined;
      readonly cache?: CacheHint | undefined;
      readonly within?: NamespacedTool | undefined;
    }
  /**
   * A tool whose input is free text. On wires without such tools, it becomes a function with one string argument,
   * `input`.
   */
  | {
      readonly kind: "custom";
      readonly name: string;
      readonly description?: string | undefined;
      readonly format?: unknown;
      readonly within?: NamespacedTool | undefined;
    }
  /** The vendor's web search. `more` is true if it has options that other wires lack. */
  | {
      readonly kind: "web-search";
      readonly wire: TextWireName;
      readonly options: JsonRecord;
      readonly commonOptions?: SearchOptions | undefined;
      readonly more?: boolean | undefined;
    }
  /** A vendor's tool that no other wire can express. */
  | { readonly kind: "vendor"; readonly wire: TextWireName; readonly name: string; readonly definition: JsonRecord };

/** Rule for the model's tool calls. `names` restricts the tools. */
export interface ToolChoice {
  readonly mode: "auto" | "none" | "required";
  readonly names?: readonly string[] | undefined;
}

/** Reasoning efforts, in ascending order. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

export type Effort = (typeof efforts)[number];

/** Requested reasoning. If the client sets only the effort or the budget, some wires derive the other. */
export interface ReasoningOptions {
  readonly effort?: Effort | undefined;
  /** Maximum tokens for reasoning; -1 if the model decides. */
  readonly budgetTokens?: number | undefined;
  /** Form in which the client receives the reasoning. */
  readonly show?: "none" | "summary" | "full" | undefined;
}

export type OutputFormat =
  | { readonly kind: "json" }
  | {
      readonly kind: "schema";
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly schema: JsonRecord;
      readonly strict?: boolean | undefined;
    };

/** A turn of the conversation. Adjacent turns may have the same role. */
export interface Turn {
  /** `system` is an instruction in the middle of the dialogue. */
  readonly role: "user" | "assistant" | "system";
  readonly parts: readonly Part[];
}

/** A request for text in the neutral form. Only an absent member is unset; 0, false and "" are values. */
export interface TextRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly instructions: readonly TextPart[];
  readonly turns: readonly Turn[];
  /** Tools that the model may call. */
  readonly tools?: readonly Tool[] | undefined;
  /** Tools that the model must, may or must not call. */
  readonly toolChoice?: ToolChoice | undefined;
  /** True if one answer may have several tool calls. */
  readonly parallelTools?: boolean | undefined;
  /** Maximum output tokens, reasoning included. */
  readonly maxTokens?: number | undefined;
  /** Sequences that end the answer. */
  readonly stop?: readonly string[] | undefined;
  /** Form of the answer: any JSON, or JSON of a schema. */
  readonly format?: OutputFormat | undefined;
  /** Effort or token budget for reasoning, and the form in which it is shown. */
  readonly reasoning?: ReasoningOptions | undefined;
  /** Sampling temperature. */
  readonly temperature?: number | undefined;
  /** Share of the probability mass from which tokens are sampled (nucleus sampling). */
  readonly topP?: number | undefined;
  /** Number of most probable tokens from which the model samples. */
  readonly topK?: number | undefined;
  /** Penalty for tokens that the text already has. */
  readonly presencePenalty?: number | undefined;
  /** Penalty for a token that grows with each occurrence in the text. */
  readonly frequencyPenalty?: number | undefined;
  /** Seed of the sampling. */
  readonly seed?: number | undefined;
  /** Number of answers. The default is 1. */
  readonly choices?: number | undefined;
  /** Request for the log probabilities of tokens, and of a number of alternatives for each token. */
  readonly logProbabilities?: { readonly alternatives: number } | undefined;
  /** Bias of single tokens, by their ids. */
  readonly logitBias?: JsonRecord | undefined;
  /** Kinds of output that the client requests. Without them, the model answers with text. */
  readonly modalities?: readonly ("text" | "image" | "audio")[] | undefined;
  /** Aspect ratio and size of images that the model makes. */
  readonly image?: { readonly aspectRatio?: string | undefined; readonly size?: string | undefined } | undefined;
  /** Voice and format of speech that the model makes. */
  readonly audio?: JsonRecord | undefined;
  /** Length of the answer, as a word such as `low`. */
  readonly verbosity?: string | undefined;
  /** Key by which the vendor routes requests to the same prompt cache. */
  readonly cacheKey?: string | undefined;
  /** Lifetime of the prompt cache. */
  readonly cacheRetention?: string | undefined;
  /** Parts of the prompt that are cached: those up to the client's marks (`explicit`), or also others (`automatic`). */
  readonly cacheMode?: "explicit" | "automatic" | undefined;
  /** True if the request only fills the prompt cache, and no answer is generated. */
  readonly prewarm?: true | undefined;
  /** Key and value pairs that the vendor stores with the answer. */
  readonly metadata?: JsonRecord | undefined;
  /** End user, as the client names it. */
  readonly user?: string | undefined;
  /** Hashed end user, for the vendor's abuse detection. */
  readonly safetyIdentifier?: string | undefined;
  /** Price and latency class of the call. */
  readonly serviceTier?: string | undefined;
  /** Expected output, so that the vendor can generate the answer faster. */
  readonly prediction?: JsonRecord | undefined;
  /** True if the client wants the usage at the end of a chat stream; other wires always report it. */
  readonly includeUsage?: boolean | undefined;
}

/** A field of the request that some wire lacks. */
export type RequestField = Exclude<keyof TextRequest, "model" | "stream" | "instructions" | "turns" | "includeUsage">;

export type { CacheHint };

export { textWireNames, type TextWireName } from "@modelgate/contracts";

/** Name of the vendor's web search in a tool choice. */
export const searchToolName = "web_search";

interface SearchOptions {
  readonly allowedDomains?: unknown;
  readonly blockedDomains?: unknown;
  /** Maximum number of searches in one answer. */
  readonly maxUses?: unknown;
  /** Amount of the results that the model reads: `low`, `medium`, `high`. */
  readonly contextSize?: unknown;
  /** Location of the user: city, region, country, timezone. */
  readonly location?: JsonRecord | undefined;
}

export type WebSearchTool = Extract<Tool, { kind: "web-search" }>;

/** Creates the web search that a client of `wire` requests. `others` are options that `SearchOptions` lacks. */
export function searchTool(
  wire: TextWireName,
  values: JsonRecord,
  commonOptions: SearchOptions,
  others: JsonRecord,
): WebSearchTool {
  const more = Object.keys(others).length > 0 ? true : undefined;
  return withoutUndefined({
    kind: "web-search" as const,
    wire,
    options: values,
    commonOptions: withoutUndefined(commonOptions),
    more,
  });
}

/** Returns a location without `type`, which `renderLocation` adds again. */
export function parseLocation(value: unknown): JsonRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { type: _, ...location }: JsonRecord = value;
  return withoutUndefined(location);
}

export function renderLocation(location: JsonRecord | undefined): JsonRecord | undefined {
  return location === undefined ? undefined : { type: "approximate", ...location };
}

/** Returns true if the search has options other than `names`. */
export function hasOtherOptions(commonOptions: SearchOptions, names: readonly (keyof SearchOptions)[]): boolean {
  const supported: ReadonlySet<string> = new Set(names);
  return Object.entries(commonOptions).some(
    ([name, value]) => (value ?? undefined) !== undefined && !supported.has(name),
  );
}

/**
 * Efforts that correspond to thinking budgets, with the upper bounds of these budgets in tokens. The bounds are
 * exclusive.
 */
const effortCeilings = [
  ["none", 1],
  ["minimal", 1536],
  ["low", 6000],
  ["medium", 12_000],
  ["high", 24_000],
] as const satisfies readonly (readonly [Effort, number])[];

/** Returns the requested effort, which may be derived from the budget; undefined if the model decides. */
export function reasoningEffort({ effort, budgetTokens }: ReasoningOptions): Effort | undefined {
  if (effort !== undefined || budgetTokens === undefined || budgetTokens < 0) return effort;
  return effortCeilings.find(([, ceiling]) => budgetTokens < ceiling)?.[0] ?? "xhigh";
}

/** Fields of the neutral form that a wire supports. All other fields are reported as lost. */
export interface FieldSupport {
  /** Names of the supported fields on the wire. */
  readonly spelling: Readonly<Partial<Record<RequestField, string>>>;
  /** Fields whose loss would change the meaning of a request. */
  readonly refused: readonly RequestField[];
}

/** Returns the fields that the wire cannot express. Throws Failure unsupported_parameter for a refused field. */
export function unsupportedFields(request: TextRequest, { spelling, refused }: FieldSupport): readonly RequestField[] {
  const unsupported = Object.keys(request)
    .filter((name): name is RequestField => !universalFields.has(name))
    .filter((field) => spelling[field] === undefined && hasEffect(request, field));
  const field = unsupported.find((each) => refused.includes(each));
  if (field !== undefined) throw unsupportedFailure(field);
  return unsupported;
}

const universalFields: ReadonlySet<string> = new Set(["model", "stream", "instructions", "turns", "includeUsage"]);

/** Creates the failure for a request that the vendor's wire cannot express. */
export function unsupportedFailure(param: string, message?: string): Failure {
  const defaultMessage = `The vendor of this model does not support ${param}.`;
  return new Failure("unsupported_parameter", message ?? defaultMessage, { param });
}

/** Returns true if the value of a field differs from the default of every wire. */
function hasEffect(request: TextRequest, field: RequestField): boolean {
  const value = request[field];
  if (value === undefined) return false;
  if (field === "choices") return value !== 1;
  if (field === "cacheMode") return value === "explicit";
  if (field === "modalities") return (request.modalities ?? []).some((kind) => kind !== "text");
  if (field === "stop" || field === "tools") return Array.isArray(value) && value.length > 0;
  if (field === "parallelTools") return value === false;
  return true;
}

/** Collects the names of fields and values that the vendor's request cannot express. */
export class Unsupported {
  readonly #words = new Set<string>();

  note(field: string): void {
    this.#words.add(field);
  }

  /** Adds a name unless `isUnsupported` is undefined or false. */
  noteIf(field: string, isUnsupported: unknown): void {
    if (isUnsupported !== undefined && isUnsupported !== false) this.note(field);
  }

  /** Adds the names of members with a value, such as `file.title`. */
  noteMembers<Value extends object>(field: string, value: Value, members: readonly (keyof Value & string)[]): void {
    for (const member of members) this.noteIf(`${field}.${member}`, value[member]);
  }

  get names(): readonly string[] {
    return [...this.#words];
  }
}
