import { Failure } from "@modelgate/contracts";
import { responseOfItem, type JsonObject } from "@modelgate/wires/text";
import { referenceOf, resendable } from "./conversation.ts";
import type { RecordMemory } from "./record-reader.ts";
import { outputOf, type ResponseStore, type StoredResponse } from "./stored-response.ts";

/** Responses whose items one request may refer to. */
const maxResponses = 2_000;

/** The response whose answer contains an item that is only referred to; undefined for any other item. */
function answerOf(item: JsonObject): string | undefined {
  const id = referenceOf(item);
  return id === undefined ? undefined : responseOfItem(id);
}

/** Returns true for an item that refers to one that this gateway answered: clients send those of a stored response by their id only. */
export function refersToOurs(item: JsonObject): boolean {
  return answerOf(item) !== undefined;
}

/**
 * Items, with references to what the account was answered here replaced by the item. A reference to what is not known stays: it
 * may be the vendor's, which is queried then. Throws Failure invalid_value (400) for items of too many responses.
 */
export async function resolveReferences(
  store: Pick<ResponseStore, "findAll">,
  accountId: string,
  items: readonly JsonObject[],
  memory: RecordMemory,
): Promise<readonly JsonObject[]> {
  const ids = [...new Set(items.flatMap((item) => answerOf(item) ?? []))];
  if (ids.length > maxResponses)
    throw new Failure("invalid_value", `input refers to items of more than ${maxResponses} responses.`, {
      param: "input",
    });
  return withReferences(items, await store.findAll(accountId, ids, memory));
}

/** Replaces references to items by the items, as `resolveReferences` does, from responses that are already loaded. */
export function withReferences(
  items: readonly JsonObject[],
  responses: readonly (StoredResponse | undefined)[],
): readonly JsonObject[] {
  const known = new Map(
    responses.flatMap((response) =>
      response === undefined ? [] : outputOf(response).map((item) => [item["id"], item]),
    ),
  );
  return items.flatMap((item) => {
    const id = referenceOf(item);
    const found = id === undefined ? undefined : known.get(id);
    return found === undefined ? [item] : resendable(found);
  });
}
