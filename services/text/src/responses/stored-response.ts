import { isChannelKeyId, type ChannelKeyId } from "@modelgate/catalog";
import { isRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";
import { withCurrentCompaction, type CompactionCipher } from "./compaction/compaction-cipher.ts";
import type { RecordStore } from "./record-cipher.ts";
import { openTurnStore, type StoreLimits, type TurnStore } from "./turn-store.ts";

/** Stored form of a response. */
export interface StoredResponse {
  /** The response object that the client received. */
  readonly response: JsonObject;
  /** Input items of the response's request, without those of earlier turns. */
  readonly input: readonly JsonObject[];
  /** Ids of the preceding responses of the conversation, oldest first. */
  readonly ancestors: readonly string[];
  /** Route whose vendor also stores the response under the same id. */
  readonly keptAt?: ChannelKeyId | undefined;
}

/** Stored responses of all accounts. */
export type ResponseStore = TurnStore<StoredResponse>;

/**
 * Opens the store of responses. It encrypts compactions in their input with the current secret: a client may send an
 * older one shortly before its secret is removed, and refer to the response later.
 */
export function openResponseStore(
  records: RecordStore,
  compactions: CompactionCipher,
  limits: StoreLimits,
): ResponseStore {
  const prepare = (stored: StoredResponse, accountId: string): StoredResponse => ({
    ...stored,
    input: stored.input.map((item) => withCurrentCompaction(compactions, accountId, item)),
  });
  return openTurnStore(records, { kind: "response", parse: parseStored, prepare }, limits);
}

export function outputOf({ response }: StoredResponse): readonly JsonObject[] {
  const output = response["output"];
  return Array.isArray(output) ? output.filter(isRecord) : [];
}

/** Parses a stored response. Missing or invalid members become empty. */
export function parseStored({ response, input, ancestors, keptAt }: JsonObject): StoredResponse {
  return {
    response: isRecord(response) ? response : {},
    input: Array.isArray(input) ? input.filter(isRecord) : [],
    ancestors: Array.isArray(ancestors) ? ancestors.map(String) : [],
    // Ollama, vLLM and others assign ids too, but store nothing: their answers do not say `store: true`.
    keptAt:
      isRecord(response) && response["store"] === true && typeof keptAt === "string" && isChannelKeyId(keptAt)
        ? keptAt
        : undefined,
  };
}
