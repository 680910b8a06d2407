import type { UpstreamWire } from "@modelgate/contracts";
import type { ChatDialect } from "@modelgate/wires/text";

/** A vendor with wires of OpenAI or Anthropic that needs no code. */
export interface VendorRow {
  readonly title: string;
  /** Base URL. `${NAME}` is an environment variable that differs for each customer. */
  readonly baseUrl: string;
  /** Environment variable of the key, named as in the vendor's SDK or documentation. */
  readonly keyVariable: string;
  /** True if operators run the server themselves. A channel to it needs no key by default. */
  readonly isLocal?: true;
  /** Supported wires, the preferred ones first. */
  readonly wires: readonly UpstreamWire[];
  /** Paths that differ from OpenAI's. */
  readonly paths?: Readonly<Partial<Record<UpstreamWire, string>>>;
  /** Path of the list of models; "none" if the vendor has no list. */
  readonly modelsAt?: string;
  /** Vendor's name in the bundled price catalogue. */
  readonly pricesAs?: string;
  /** Differences of the vendor's chat wire from OpenAI's. */
  readonly dialect?: ChatDialect;
  /** URL of the documentation that confirms these values. */
  readonly docs: string;
}

/** Dialect of vendors that support the chat wire without its newest fields. */
export const olderDialect = { maxTokens: "max_tokens", noDeveloper: true } as const;

/** Hints of OpenAI about caching and end users. Vendors that refuse all unknown members refuse them. */
export const unknownHints = ["prompt_cache_retention", "prompt_cache_options", "safety_identifier"] as const;

/** Paths of the messages wire at vendors whose OpenAI paths are under `/v1`. */
export const messagesPaths = {
  messages: "/../anthropic/v1/messages",
  "count-messages": "/../anthropic/v1/messages/count_tokens",
} as const;
