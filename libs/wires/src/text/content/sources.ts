import { withoutUndefined } from "@modelgate/contracts";
import { memberOf, isRecord, splitWords, type JsonRecord } from "@modelgate/formats/json";
import type { Citation, TokenProbability } from "../hub/part.ts";
import type { StoreDialect } from "../../vendor-stores/members.ts";
import { bytesMedia, remoteFile, textAt, type Media } from "../params.ts";

/**
 * Parses citations and search results. Their offsets are left out, because they are byte positions in the complete
 * text.
 */
export function parseCitations(candidate: JsonRecord): readonly Citation[] {
  return [
    ...parseCitationMetadata(candidate["citationMetadata"]),
    ...parseGroundingMetadata(candidate["groundingMetadata"]),
  ];
}

function parseCitationMetadata(metadata: unknown): readonly Citation[] {
  if (!isRecord(metadata)) return [];
  const all = metadata["citations"] ?? metadata["citationSources"];
  if (!Array.isArray(all)) return [];
  return all.filter(isRecord).map(({ uri, title }) => makeCitation(uri, title));
}

function parseGroundingMetadata(metadata: unknown): readonly Citation[] {
  if (!isRecord(metadata) || !Array.isArray(metadata["groundingChunks"])) return [];
  const chunks = metadata["groundingChunks"].map((chunk: unknown) => {
    const web: unknown = isRecord(chunk) ? (chunk["web"] ?? chunk["retrievedContext"]) : undefined;
    return isRecord(web) ? makeCitation(web["uri"], web["title"]) : undefined;
  });
  const supports: unknown = metadata["groundingSupports"];
  if (!Array.isArray(supports)) return chunks.filter((chunk) => chunk !== undefined);
  return supports.filter(isRecord).flatMap(({ segment, groundingChunkIndices: indices }) => {
    const text = memberOf(segment, "text");
    const chunkIndices: readonly unknown[] = Array.isArray(indices) ? indices : [];
    return chunkIndices.flatMap((index) => {
      const chunk = typeof index === "number" ? chunks[index] : undefined;
      return chunk === undefined ? [] : [{ ...chunk, ...(typeof text === "string" ? { citedText: text } : {}) }];
    });
  });
}

function makeCitation(uri: unknown, title: unknown): Citation {
  return withoutUndefined({
    url: typeof uri === "string" ? uri : undefined,
    title: typeof title === "string" ? title : undefined,
  });
}

export function renderCitations(citations: readonly Citation[]): JsonRecord | undefined {
  const all = citations.flatMap(({ url, title }) => (url === undefined ? [] : [withoutUndefined({ uri: url, title })]));
  return all.length > 0 ? { citations: all } : undefined;
}

type ChosenToken = Omit<TokenProbability, "alternatives">;

/** Parses `logprobsResult` of a candidate, without malformed entries. */
export function parseProbabilities(result: unknown): readonly TokenProbability[] {
  if (!isRecord(result) || !Array.isArray(result["chosenCandidates"])) return [];
  const chosen: readonly unknown[] = result["chosenCandidates"];
  const tops: unknown = result["topCandidates"];
  return chosen.flatMap((each, index) => {
    const read = parseToken(each);
    const top: unknown = Array.isArray(tops) ? tops[index] : undefined;
    const candidates = memberOf(top, "candidates");
    const alternatives = Array.isArray(candidates) ? candidates.flatMap((token) => parseToken(token) ?? []) : [];
    return read === undefined ? [] : [{ ...read, alternatives }];
  });
}

function parseToken(value: unknown): ChosenToken | undefined {
  if (!isRecord(value) || typeof value["token"] !== "string") return undefined;
  const probability = value["logProbability"];
  return { token: value["token"], logProbability: typeof probability === "number" ? probability : 0 };
}

/** Renders `logprobsResult`. This wire has no member for the bytes of tokens. */
export function renderProbabilities(all: readonly TokenProbability[]): JsonRecord | undefined {
  if (all.length === 0) return undefined;
  return {
    topCandidates: all.map(({ alternatives }) => ({ candidates: alternatives.map(renderToken) })),
    chosenCandidates: all.map(renderToken),
  };
}

function renderToken({ token, logProbability }: ChosenToken): JsonRecord {
  return { token, logProbability };
}

/** Measures a part with inline bytes or a file's address. */
export function measurePart(part: JsonRecord): Media | undefined {
  const inline = part["inlineData"] ?? part["inline_data"];
  if (isRecord(inline)) {
    const type = textAt(inline, "mimeType") || textAt(inline, "mime_type");
    return bytesMedia(type, textAt(inline, "data"));
  }
  return isRecord(part["fileData"] ?? part["file_data"]) ? remoteFile : undefined;
}

/** Voices of OpenAI, which Google refuses. */
const openaiVoices: ReadonlySet<string> = new Set(
  "alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse".split(" "),
);

/** Renders a voice; undefined for OpenAI's voices, so that the vendor uses its default. */
export function renderVoice(voice: string): JsonRecord | undefined {
  if (openaiVoices.has(voice.toLowerCase())) return undefined;
  const voiceName = /^[a-z]+$/.test(voice) ? voice.slice(0, 1).toUpperCase() + voice.slice(1) : voice;
  return { voiceConfig: { prebuiltVoiceConfig: { voiceName } } };
}

/**
 * Rules for finding objects in a vendor's store. These members contain JSON of the client, which names no such objects.
 */
export const contentStoreDialect: StoreDialect = {
  opaque: splitWords(`
    args response parameters parameters_json_schema response_schema response_json_schema response_format labels
  `),
};
