import type { UpstreamWire } from "@modelgate/contracts";
import type { ChatDialect } from "@modelgate/wires/text";

/** A vendor of OpenAI's or Anthropic's wires, described by data alone. */
export interface VendorRow {
  /** Name that people read. */
  readonly title: string;
  /** Base URL; `${NAME}` is a part that differs by customer. */
  readonly baseUrl: string;
  /** The variable that its SDK or documentation uses for the key. */
  readonly keyVariable: string;
  /** It is run by its operator, and asks for no key unless it is set up to. */
  readonly isLocal?: true;
  /** The wires that it has, best first. */
  readonly wires: readonly UpstreamWire[];
  /** Path of a wire under the base URL, if it is not OpenAI's path. */
  readonly paths?: Readonly<Partial<Record<UpstreamWire, string>>>;
  /** Path of the list of models, under the base URL; absent: `/models`. "none": there is no list. */
  readonly modelsAt?: string;
  /** Its name in the bundled catalogue of prices; absent: its prices are not in it. */
  readonly pricesAs?: string;
  /** Differences from the chat wire. */
  readonly dialect?: ChatDialect;
  /** Address of the documentation of these values. */
  readonly docs: string;
}

/** The dialect of vendors that follow the chat wire without its newest fields. */
export const older = { maxTokens: "max_tokens", noDeveloper: true } as const;

/** Paths of the messages wire at vendors whose OpenAI paths are under `/v1`. */
export const messagesPaths = {
  messages: "/../anthropic/v1/messages",
  "count-messages": "/../anthropic/v1/messages/count_tokens",
} as const;
