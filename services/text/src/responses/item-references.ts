import { Failure } from "@modelgate/contracts";
import { responseOfItem, type JsonObject } from "@modelgate/wires/text";
import { referenceOf, portableItems } from "./conversation.ts";
import type { RecordMemory } from "./record-reader.ts";
import { outputOf, type ResponseStore, type StoredResponse } from "./stored-response.ts";

/** Maximum responses to whose items one request may refer. */
const maxResponses = 2_000;

/** Returns the id of the response that contains a referenced item, if this gateway returned the item. */
function ownResponseOf(item: JsonObject): string | undefined {
  const id = referenceOf(item);
  return id === undefined ? undefined : responseOfItem(id);
}

/** Returns true if an item refers to an item that this gateway returned. */
export function refersToOwnItem(item: JsonObject): boolean {
  return ownResponseOf(item) !== undefined;
}

/**
 * Replaces references by the items that this gateway returned to the account. Other items may be in the vendor's store,
 * so references to them remain. Throws Failure.
 */
export async function resolveReferences(
  store: Pick<ResponseStore, "findAll">,
  accountId: string,
  items: readonly JsonObject[],
  memory: RecordMemory,
): Promise<readonly JsonObject[]> {
  const ids = [...new Set(items.flatMap((item) => ownResponseOf(item) ?? []))];
  if (ids.length > maxResponses)
    throw new Failure("invalid_value", `input refers to items of more than ${maxResponses} responses.`, {
      param: "input",
    });
  return withReferences(items, await store.findAll(accountId, ids, memory));
}

/** Replaces references as `resolveReferences` does, with responses that have been read already. */
export function withReferences(
  items: readonly JsonObject[],
  responses: readonly (StoredResponse | undefined)[],
): readonly JsonObject[] {
  const itemsById = new Map(
    responses.flatMap((response) =>
      response === undefined ? [] : outputOf(response).map((item) => [item["id"], item]),
    ),
  );
  return items.flatMap((item) => {
    const id = referenceOf(item);
    const referencedItem = id === undefined ? undefined : itemsById.get(id);
    return referencedItem === undefined ? [item] : portableItems(referencedItem);
  });
}
