import { isChannelKeyId, type ChannelKeyId } from "@modelgate/catalog";
import { isRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";
import type { TurnStore } from "./turn-store.ts";

/** A response in the form in which it is stored. */
export interface StoredResponse {
  /** The response object that the client got. */
  readonly response: JsonObject;
  /** Items of its request, without those of earlier turns. */
  readonly input: readonly JsonObject[];
  /** Ids of the preceding responses of the conversation, oldest first. */
  readonly ancestors: readonly string[];
  /** The `channel/key` whose vendor also stores it under the same id, so that it need not be sent there again. */
  readonly keptAt?: ChannelKeyId | undefined;
}

/** Responses by owner and id. */
export type ResponseStore = TurnStore<StoredResponse>;

/** Returns the output items of a response. */
export function outputOf({ response }: StoredResponse): readonly JsonObject[] {
  const output = response["output"];
  return Array.isArray(output) ? output.filter(isRecord) : [];
}

/** Parses a stored response. */
export function parseStored({ response, input, ancestors, keptAt }: JsonObject): StoredResponse {
  return {
    response: isRecord(response) ? response : {},
    input: Array.isArray(input) ? input.filter(isRecord) : [],
    ancestors: Array.isArray(ancestors) ? ancestors.map(String) : [],
    keptAt: typeof keptAt === "string" && isChannelKeyId(keptAt) ? keptAt : undefined,
  };
}
