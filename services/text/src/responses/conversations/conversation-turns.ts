import { Failure } from "@modelgate/contracts";
import { idsOf, type ServiceCall } from "@modelgate/platform";
import type { JsonObject } from "@modelgate/wires/text";
import type { ResponsesDeps } from "../deps.ts";
import { resendable } from "../conversation.ts";
import { outputOf, type StoredResponse } from "../stored-response.ts";
import { keptItems } from "./conversation-items.ts";
import type { ConversationStore } from "./conversation-store.ts";

/**
 * The items of a conversation as they can be sent to any vendor; undefined where it is not one of this account. Throws
 * Failure (400, 413) for one that takes no more.
 */
export async function conversationItems(
  store: ConversationStore,
  accountId: string,
  id: string,
): Promise<readonly JsonObject[] | undefined> {
  if ((await store.find(accountId, id)) === undefined) return undefined;
  const items = await store.items(accountId, id);
  if (store.isFull(items.length))
    throw new Failure("invalid_value", "The conversation has as many items as it may: begin another one.", {
      param: "conversation",
    });
  return items.flatMap(resendable);
}

/** Adds a turn to its conversation. Never rejects: what was not kept is logged. */
export async function addTurn(
  { conversations, newAnswerId, relay }: Pick<ResponsesDeps, "conversations" | "newAnswerId" | "relay">,
  call: Pick<ServiceCall, "caller" | "requestId"> & Partial<Pick<ServiceCall, "span">>,
  id: string,
  { input, ...answered }: Pick<StoredResponse, "input" | "response" | "ancestors">,
): Promise<void> {
  const turn = keptItems([...input, ...outputOf({ input, ...answered })], () => newAnswerId().replace(/^answer_/, ""));
  try {
    const added = await conversations.add(call.caller.accountId, id, turn);
    if (added !== "added") relay.log.warn({ ...idsOf(call), conversation: id, added }, "a turn was not kept");
  } catch (error) {
    relay.log.warn({ ...idsOf(call), err: error, conversation: id }, "a turn was not kept");
  }
}
