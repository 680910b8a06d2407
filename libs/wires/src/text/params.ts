import { asRecord, memberOf, hasAny, isRecord, splitWords, type JsonRecord } from "@modelgate/formats/json";
import type { RequestedFees } from "./fees.ts";

/** Parameters of a text request that the gateway needs. */
export interface TextParams {
  readonly model: string;
  readonly stream: boolean;
  /** True if the client wants usage at the end of its stream. */
  readonly includeUsage: boolean;
  /** True if the client wants the cost in the usage. */
  readonly showsCost?: boolean | undefined;
  /** Maximum output tokens of all choices together, by the largest limit in the body. */
  readonly maxOutputTokens: number | undefined;
  /** Members of the body that limit the output. Only one of them is sent to the vendor. */
  readonly outputLimitNames: readonly string[];
  /** Members that the wire's main vendor refuses and other vendors accept. */
  readonly foreignNames?: readonly string[];
  /** True if a file is not in a form that vendors of the wire accept. It must then be replaced. */
  readonly hasPlainFiles?: boolean | undefined;
  /** True if the vendor may read input that is not in the body. */
  readonly readsHiddenInput: boolean;
  readonly choices: number;
  readonly media: Media;
  /** Requested resolution of images, such as 4K. */
  readonly imageSize?: string | undefined;
  /**
   * True if the client wants the vendor's refusal of reasoning. Otherwise, the refused call is repeated without
   * signatures.
   */
  readonly keepsSignatures?: boolean | undefined;
  /** Charges in addition to tokens. */
  readonly fees?: RequestedFees | undefined;
}

/** Members that some vendor reads as output limit. */
const outputLimitNames = (
  "max_tokens max_completion_tokens max_output_tokens max_new_tokens max_tokens_to_sample " +
  "maxTokens maxOutputTokens"
).split(" ");

interface OutputLimits {
  /** Largest limit in the body; undefined if the body has none that the wire itself defines. */
  readonly max: number | undefined;
  readonly names: readonly string[];
}

/** Finds the output limits in a body. `ownNames` are the limits that the wire itself defines. */
export function outputLimitsIn(body: object, ownNames: readonly string[]): OutputLimits {
  const record = asRecord(body);
  if (!hasAny(record, outputLimitNames)) return { max: undefined, names: [] };
  const names = outputLimitNames.filter((name) => (record[name] ?? undefined) !== undefined);
  if (!hasAny(record, ownNames)) return { max: undefined, names };
  return { max: Math.max(0, ...names.map((name) => wholeNumber(record[name]))), names };
}

/** Returns the output limits to remove for a vendor that reads only one, the first in `order`. */
export function surplusOutputLimits(names: readonly string[], order: readonly string[]): readonly string[] {
  const readName = order.find((name) => names.includes(name));
  return readName === undefined ? [] : names.filter((name) => name !== readName);
}

/** Returns the thinking budget that a chat body sets in addition to its output limit. */
export function extraReasoningTokens(body: object): number {
  const { thinking_budget: budget, thinking, reasoning } = asRecord(body);
  const inThinking = memberOf(thinking, "budget_tokens");
  const inReasoning = memberOf(reasoning, "max_tokens");
  return Math.max(0, ...[budget, inThinking, inReasoning].map(wholeNumber));
}

export function wholeNumber(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : 0;
}

/** Members that make a vendor read stored data or search results. */
const hiddenInputMembers = splitWords(`
  previous_response_id conversation web_search_options search_parameters enable_search plugins mcp_servers
  container cachedContent cached_content
`);

/** Types of tools that the client runs. */
const ownTools: ReadonlySet<unknown> = new Set([undefined, null, "function", "custom"]);

/** Returns true if the vendor may read input that is not in the body. */
export function readsHiddenInput(body: object): boolean {
  const record = asRecord(body);
  if (hasAny(record, hiddenInputMembers) || isRecord(record["prompt"])) return true;
  const { tools } = record;
  return Array.isArray(tools) && tools.some((tool: unknown) => !isRecord(tool) || !isOwnTool(tool));
}

function isOwnTool(tool: JsonRecord): boolean {
  if (!ownTools.has(tool["type"])) return false;
  // On the content wire a tool has no type; its kind is the name of its member.
  const isNamed = tool["name"] !== undefined || tool["function"] !== undefined || tool["custom"] !== undefined;
  return isNamed || Object.keys(tool).every((name) => /^function_?declarations$/i.test(name));
}

/** Images, files and audio in a request. */
export interface Media {
  /** Characters of Base64 and data URLs, which are not text for the model. */
  readonly characters: number;
  /** Maximum number of input tokens that vendors usually bill for this media. */
  readonly tokens: number;
  /** Additional tokens if the vendor reads images at their full size. */
  readonly more?: number | undefined;
}

/** Maximum tokens of one image: scaled down, or in 10,000 patches of up to 1.62 tokens. */
const tokensPerImage = { usual: 2_900, high: 16_384 } as const;
/** Values of `detail` that do not scale images down. */
const highDetails: ReadonlySet<unknown> = new Set(["high", "original"]);
/** Tokens per Base64 character of a file. A token has about four bytes. */
const tokensPerFileBase64Character = 0.75 / 4;
/** Tokens per Base64 character of audio: about ten tokens per second, of at least one kilobyte; rounded up. */
const tokensPerAudioBase64Character = 0.01;
/** Tokens per Base64 character of video: up to about 300 tokens per second, of at least ten kilobytes; rounded up. */
const tokensPerVideoBase64Character = 0.03;
/** Tokens of a document or clip at an address: about a hundred pages. */
const tokensPerRemoteFile = 60_000;

/** Measures an object if it is media; returns undefined for any other object. */
export type MeasureMedia = (part: JsonRecord) => Media | undefined;

/** Measures all media in a value at any depth, because tool results contain images too. */
export function mediaOf(value: unknown, measure: MeasureMedia): Media {
  let characters = 0;
  let tokens = 0;
  let more = 0;
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (Array.isArray(next)) for (const each of next) stack.push(each);
    else if (isRecord(next)) {
      const measured = measure(next);
      if (measured === undefined) for (const name in next) stack.push(next[name]);
      else {
        characters += measured.characters;
        tokens += measured.tokens;
        more += measured.more ?? 0;
      }
    }
  }
  return { characters, tokens: Math.ceil(tokens), ...(more > 0 ? { more } : {}) };
}

export const remoteFile: Media = { characters: 0, tokens: tokensPerRemoteFile };

/** Measures a part of a chat or responses message. Returns undefined if the part is not media. */
export function measureTypedPart(part: JsonRecord): Media | undefined {
  const { image_url: imageUrlMember } = part;
  if (imageUrlMember !== undefined)
    return imageMedia(
      textAt(imageUrlMember, "url"),
      isRecord(imageUrlMember) ? imageUrlMember["detail"] : part["detail"],
    );
  const { file_data: fileData } = part;
  if (typeof fileData === "string")
    return /^https?:/.test(fileData) ? remoteFile : bytesMedia("application/pdf", fileData);
  if (typeof part["file_url"] === "string") return remoteFile;
  if (isRecord(part["input_audio"])) return bytesMedia("audio/", textAt(part["input_audio"], "data"));
  return part["video_url"] === undefined ? undefined : remoteFile;
}

export function imageMedia(url: string, detail?: unknown): Media {
  const more = highDetails.has(detail) ? { more: tokensPerImage.high - tokensPerImage.usual } : {};
  return { characters: url.startsWith("data:") ? url.length : 0, tokens: tokensPerImage.usual, ...more };
}

export function bytesMedia(mediaType: string, { length: characters }: string): Media {
  if (mediaType.startsWith("image/")) return { characters, tokens: tokensPerImage.usual };
  if (mediaType.startsWith("audio/")) return { characters, tokens: characters * tokensPerAudioBase64Character };
  if (mediaType.startsWith("video/")) return { characters, tokens: characters * tokensPerVideoBase64Character };
  return { characters, tokens: characters * tokensPerFileBase64Character };
}

/** Returns a text, or an object's member if it is a text; "" for anything else. */
export function textAt(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  const part = isRecord(value) ? value[name] : undefined;
  return typeof part === "string" ? part : "";
}
