import type { UpstreamWire } from "@modelgate/contracts";
import type { ChatDialect } from "@modelgate/wires/text";

/** A vendor of OpenAI's or Anthropic's wires that is described by data alone. */
export interface VendorRow {
  /** Display name. */
  readonly title: string;
  /** Base URL; `${NAME}` is a part that differs per customer. */
  readonly baseUrl: string;
  /** Environment variable for the key, as its SDK or documentation names it. */
  readonly keyVariable: string;
  /** True if operators run it themselves; it then needs no key by default. */
  readonly isLocal?: true;
  /** Supported wires, best first. */
  readonly wires: readonly UpstreamWire[];
  /** Path of a wire under the base URL, if it is not OpenAI's path. */
  readonly paths?: Readonly<Partial<Record<UpstreamWire, string>>>;
  /** Path of the list of models, under the base URL. Absent: `/models`. "none": the vendor has no list. */
  readonly modelsAt?: string;
  /** Name in the bundled catalogue of prices; absent: the catalogue does not have the vendor. */
  readonly pricesAs?: string;
  /** Differences from the chat wire. */
  readonly dialect?: ChatDialect;
  /** Address of the documentation that confirms these values. */
  readonly docs: string;
}

/** Dialect of vendors that follow the chat wire without its newest fields. */
export const older = { maxTokens: "max_tokens", noDeveloper: true } as const;

/** Paths of the messages wire at vendors whose OpenAI paths are under `/v1`. */
export const messagesPaths = {
  messages: "/../anthropic/v1/messages",
  "count-messages": "/../anthropic/v1/messages/count_tokens",
} as const;
