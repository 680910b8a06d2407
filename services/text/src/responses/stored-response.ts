import { isChannelKeyId, type ChannelKeyId } from "@modelgate/catalog";
import { isRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";
import type { TurnStore } from "./turn-store.ts";

/** A response that can be referred to later, as it is kept. */
export interface StoredResponse {
  /** The response object as its client got it. */
  readonly response: JsonObject;
  /** The items of its own request, without those of earlier turns. */
  readonly input: readonly JsonObject[];
  /** Ids of the responses before it in the conversation, oldest first. */
  readonly ancestors: readonly string[];
  /** The `channel/key` whose vendor keeps it too, under the same id: it need not be sent again there. */
  readonly keptAt?: ChannelKeyId | undefined;
}

/** Responses by owner and id. */
export type ResponseStore = TurnStore<StoredResponse>;

/** The items that a response answered with. */
export function outputOf({ response }: StoredResponse): readonly JsonObject[] {
  const output = response["output"];
  return Array.isArray(output) ? output.filter(isRecord) : [];
}

/** Reads a stored response of its JSON. */
export function parseStored({ response, input, ancestors, keptAt }: JsonObject): StoredResponse {
  return {
    response: isRecord(response) ? response : {},
    input: Array.isArray(input) ? input.filter(isRecord) : [],
    ancestors: Array.isArray(ancestors) ? ancestors.map(String) : [],
    keptAt: typeof keptAt === "string" && isChannelKeyId(keptAt) ? keptAt : undefined,
  };
}
