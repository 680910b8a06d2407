import { Failure } from "@modelgate/contracts";
import { idsOf, type ServiceCall } from "@modelgate/platform";
import type { JsonObject } from "@modelgate/wires/text";
import type { ResponsesDeps } from "../deps.ts";
import { portableItems } from "../conversation.ts";
import { resolveReferences } from "../item-references.ts";
import type { RecordMemory } from "../record-reader.ts";
import { outputOf, type StoredResponse } from "../stored-response.ts";
import type { ConversationRef } from "./conversation-scripts.ts";
import type { ConversationStore } from "./conversation-store.ts";

/**
 * Returns the items of a conversation in a form that every vendor accepts; undefined if it does not exist. Throws
 * Failure if it has no room for `newItems` items.
 */
export async function readConversationItems(
  store: ConversationStore,
  conversation: ConversationRef,
  newItems: number,
  memory: RecordMemory,
): Promise<readonly JsonObject[] | undefined> {
  const items = await store.readForTurn(conversation, newItems, memory);
  if (items === undefined) return undefined;
  if (items === "full")
    throw new Failure("invalid_value", "The conversation is full: start a new one, or remove items.", {
      param: "conversation",
    });
  return items.flatMap(portableItems);
}

/** Appends a turn to its conversation. Never rejects; a failure is logged. */
export async function addTurn(
  {
    body,
    conversations,
    newAnswerId,
    relay,
    responses,
  }: Pick<ResponsesDeps, "body" | "conversations" | "newAnswerId" | "relay" | "responses">,
  call: Pick<ServiceCall, "caller" | "requestId"> & Partial<Pick<ServiceCall, "span">>,
  id: string,
  turn: Pick<StoredResponse, "input" | "response" | "ancestors">,
): Promise<void> {
  const newId = (): string => newAnswerId().replace(/^answer_/, "");
  using memory = body.budget.openHolding(call.caller);
  const { accountId } = call.caller;
  try {
    const conversation = { accountId, id };
    const newInput = await conversations.withoutOwnReferences(conversation, turn.input);
    // A referenced response may expire before the conversation.
    const input = await resolveReferences(responses, accountId, newInput, memory);
    const items = [...input, ...outputOf(turn)];
    const { verdict } = await conversations.add(conversation, { items, newId, memory, isTurn: true });
    if (verdict !== "added")
      relay.log.warn({ ...idsOf(call), conversation: id, added: verdict }, "a turn was not stored");
  } catch (error) {
    relay.log.warn({ ...idsOf(call), err: error, conversation: id }, "a turn was not stored");
  }
}
