import type { UpstreamWire } from "@modelgate/contracts";
import type { ChatDialect } from "@modelgate/wires/text";

/** A vendor of the wires that OpenAI and Anthropic began: all that is its own, as data. */
export interface VendorRow {
  /** What it is called. */
  readonly title: string;
  /** Where it is; `${NAME}` stands for what only its customer knows. */
  readonly baseUrl: string;
  /** The variable in which its own SDK or documentation keeps the key. */
  readonly keyVariable: string;
  /** It is run by its operator, and asks for no key unless it is set up to. */
  readonly isLocal?: true;
  /** The wires that it has, best first. */
  readonly wires: readonly UpstreamWire[];
  /** Where a wire is, under the base URL, if that is not OpenAI's path. */
  readonly paths?: Readonly<Partial<Record<UpstreamWire, string>>>;
  /** Where it lists its models, under the base URL; absent: `/models`. "none": nowhere. */
  readonly modelsAt?: string;
  /** Its name in the bundled catalogue of prices; absent: its prices are not in it. */
  readonly pricesAs?: string;
  /** Where it departs from the chat wire. */
  readonly dialect?: ChatDialect;
  /** Where its documentation says so. */
  readonly docs: string;
}

/** How vendors speak that follow the chat wire as it was before its newest fields. */
export const older = { maxTokens: "max_tokens", noDeveloper: true } as const;

/** Where the messages wire is beside an OpenAI one under `/v1`. */
export const messagesBeside = {
  messages: "/../anthropic/v1/messages",
  "count-messages": "/../anthropic/v1/messages/count_tokens",
} as const;
