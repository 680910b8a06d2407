import { Failure } from "@modelgate/contracts";
import { responseOfItem, type JsonObject } from "@modelgate/wires/text";
import { referenceOf, resendable } from "./conversation.ts";
import type { RecordMemory } from "./record-reader.ts";
import { outputOf, type ResponseStore, type StoredResponse } from "./stored-response.ts";

/** Maximum responses whose items one request may refer to. */
const maxResponses = 2_000;

/** Returns the id of the response that contains a referenced item; undefined for an item that is not a reference. */
function answerOf(item: JsonObject): string | undefined {
  const id = referenceOf(item);
  return id === undefined ? undefined : responseOfItem(id);
}

/**
 * Returns true for a reference to an item that this gateway returned: clients send the items of a stored response by id
 * only.
 */
export function refersToOurs(item: JsonObject): boolean {
  return answerOf(item) !== undefined;
}

/**
 * Replaces references to items that the account got here by the items. Keeps a reference to an unknown item: it may be
 * the vendor's, which is then queried. Throws Failure invalid_value (400) for items of too many responses.
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

/** Replaces references to items as `resolveReferences` does, from responses that are already loaded. */
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
