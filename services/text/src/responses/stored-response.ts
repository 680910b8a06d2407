import type { ChannelKeyId } from "@modelgate/catalog";
import { isRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

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

/** The items that a response answered with. */
export function outputOf({ response }: StoredResponse): readonly JsonObject[] {
  const output = response["output"];
  return Array.isArray(output) ? output.filter(isRecord) : [];
}
