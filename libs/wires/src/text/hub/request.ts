import type { TextWire } from "@modelgate/contracts";
import type { CacheHint } from "./cache-hint.ts";
import type { Part, TextPart } from "./part.ts";
import type { SearchWish } from "./search-wish.ts";

/** Where the responses wire has a tool that stands in a set of tools; elsewhere its own name says both. */
export interface NamespacedTool {
  readonly namespace: string;
  /** What the set is for. */
  readonly about?: string | undefined;
  /** The tool's name within it. */
  readonly name: string;
  /** What the tool itself is for: the first of a set carries for other wires what the set is for as well. */
  readonly description?: string | undefined;
}

/** One tool that the model may call. */
export type Tool =
  | {
      readonly kind: "function";
      readonly name: string;
      readonly description?: string | undefined;
      /** JSON Schema of the arguments; absent: none. */
      readonly parameters?: JsonObject | undefined;
      readonly strict?: boolean | undefined;
      readonly cache?: CacheHint | undefined;
      readonly within?: NamespacedTool | undefined;
    }
  /** A tool whose input is free text; a wire without such tools wraps it as a function with one string `input`. */
  | {
      readonly kind: "custom";
      readonly name: string;
      readonly description?: string | undefined;
      readonly format?: unknown;
      readonly within?: NamespacedTool | undefined;
    }
  /**
   * Search on the web, run by the vendor; `options` are the wire's own and travel only to the same wire, `wish` is what
   * others can say of them, and `more` is true where options say more than the wish.
   */
  | {
      readonly kind: "web-search";
      readonly wire: TextWire;
      readonly options: JsonObject;
      readonly wish?: SearchWish | undefined;
      readonly more?: boolean | undefined;
    }
  /** A vendor's own tool that no other wire can say. */
  | { readonly kind: "vendor"; readonly wire: TextWire; readonly name: string; readonly definition: JsonObject };

/** Which tools the model must, may or must not call; `names` narrows to those tools. */
export interface ToolChoice {
  readonly mode: "auto" | "none" | "required";
  readonly names?: readonly string[] | undefined;
}

/** How hard to think, in the words of the widest wire. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

/** What the client wants of the model's reasoning. A wire that knows only one of effort and budget derives it. */
export interface ReasoningWish {
  readonly effort?: Effort | undefined;
  /** Tokens for thinking; -1: as the model likes. */
  readonly budgetTokens?: number | undefined;
  /** Whether the client wants to see the thoughts, and in which form. */
  readonly show?: "none" | "summary" | "full" | undefined;
}

/** The form of the answer's text. */
export type OutputFormat =
  | { readonly kind: "json" }
  | {
      readonly kind: "schema";
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly schema: JsonObject;
      readonly strict?: boolean | undefined;
    };

/** One turn of the conversation. Adjacent turns of one role are allowed; each wire merges or splits as it must. */
export interface Turn {
  /** `system` here is an instruction in the middle of the dialogue; those before it are in `instructions`. */
  readonly role: "user" | "assistant" | "system";
  readonly parts: readonly Part[];
}

/** A request for text in the neutral form. Absent means that the client did not say; 0, false and "" are values. */
export interface TextRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly instructions: readonly TextPart[];
  readonly turns: readonly Turn[];
  readonly tools?: readonly Tool[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly parallelTools?: boolean | undefined;
  readonly maxTokens?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly format?: OutputFormat | undefined;
  readonly reasoning?: ReasoningWish | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
  /** How many answers; 1 where absent. */
  readonly choices?: number | undefined;
  /** Log probabilities wanted, with so many alternatives a token. */
  readonly logProbabilities?: { readonly alternatives: number } | undefined;
  readonly logitBias?: JsonObject | undefined;
  /** Kinds of output wanted beside text. */
  readonly modalities?: readonly ("text" | "image" | "audio")[] | undefined;
  readonly image?: { readonly aspectRatio?: string | undefined; readonly size?: string | undefined } | undefined;
  readonly audio?: JsonObject | undefined;
  readonly verbosity?: string | undefined;
  readonly cacheKey?: string | undefined;
  readonly cacheRetention?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly user?: string | undefined;
  readonly safetyIdentifier?: string | undefined;
  readonly serviceTier?: string | undefined;
  readonly prediction?: JsonObject | undefined;
  /** Whether the client wants the usage at the end of a chat stream; other wires always report it. */
  readonly includeUsage?: boolean | undefined;
}

/** A field of the request that a wire may be unable to say; each codec knows its own spelling of it. */
export type RequestField = Exclude<keyof TextRequest, "model" | "stream" | "instructions" | "turns" | "includeUsage">;

export type { CacheHint };
export { textWires, type TextWire } from "@modelgate/contracts";

export type JsonObject = { readonly [name: string]: unknown };
