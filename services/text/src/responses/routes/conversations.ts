import { contentFull } from "@modelgate/accounts";
import { bodies, Failure } from "@modelgate/contracts";
import { answerJson, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { checked, readJson } from "@modelgate/relay";
import { bodyReader } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";
import { keptItems } from "../conversations/conversation-items.ts";
import type { Conversation } from "../conversations/conversation-store.ts";
import type { ResponsesDeps } from "../deps.ts";
import { listOf, pageOf, wrong } from "./pages.ts";

const readCreation = bodyReader(bodies.CreateConversationRequest);
const readUpdate = bodyReader(bodies.UpdateConversationRequest);
const readAddition = bodyReader(bodies.ConversationItemsRequest);

/** POST /v1/conversations. */
export function createConversation(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, checked(readCreation, ["items", "metadata"]));
    const { items, metadata } = body.seen;
    const id = `conv_${newId(deps)}`;
    const conversation = { createdAt: Math.floor(Date.now() / 1_000), metadata: metadata ?? {} };
    if (!(await deps.conversations.save(call.caller.accountId, id, conversation))) throw contentFull();
    if (items != null && items.length > 0) await add(deps, call, id, items);
    answerJson(call.response, 200, conversationObject(id, conversation));
  };
}

/** GET /v1/conversations/{conversation_id}. */
export function getConversation(deps: ResponsesDeps): EndpointHandler {
  return async (call) => answerJson(call.response, 200, conversationObject(idIn(call), await find(deps, call)));
}

/** POST /v1/conversations/{conversation_id}: other metadata. */
export function updateConversation(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, checked(readUpdate, ["metadata"]));
    const conversation = { ...(await find(deps, call)), metadata: body.seen.metadata ?? {} };
    if (!(await deps.conversations.save(call.caller.accountId, idIn(call), conversation))) throw contentFull();
    answerJson(call.response, 200, conversationObject(idIn(call), conversation));
  };
}

/** DELETE /v1/conversations/{conversation_id}. */
export function deleteConversation(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const id = idIn(call);
    if (!(await deps.conversations.remove(call.caller.accountId, id))) throw absent(id);
    answerJson(call.response, 200, { id, object: "conversation.deleted", deleted: true });
  };
}

/** GET /v1/conversations/{conversation_id}/items: pages by `limit`, `after` and `order`. */
export function listConversationItems(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    await find(deps, call);
    const items = await deps.conversations.items(call.caller.accountId, idIn(call));
    answerJson(call.response, 200, pageOf(items, call.query));
  };
}

/** POST /v1/conversations/{conversation_id}/items. */
export function addConversationItems(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, checked(readAddition, ["items"]));
    answerJson(call.response, 200, listOf(await add(deps, call, idIn(call), body.seen.items)));
  };
}

/** GET /v1/conversations/{conversation_id}/items/{item_id}. */
export function getConversationItem(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    await find(deps, call);
    const id = itemIdIn(call);
    const items = await deps.conversations.items(call.caller.accountId, idIn(call));
    const item = items.find((each) => each["id"] === id);
    if (item === undefined) throw absentItem(id);
    answerJson(call.response, 200, item);
  };
}

/** DELETE /v1/conversations/{conversation_id}/items/{item_id}: the conversation without it. */
export function deleteConversationItem(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const conversation = await find(deps, call);
    const id = itemIdIn(call);
    if (!(await deps.conversations.removeItem(call.caller.accountId, idIn(call), id))) throw absentItem(id);
    answerJson(call.response, 200, conversationObject(idIn(call), conversation));
  };
}

async function add(
  deps: ResponsesDeps,
  call: ServiceCall,
  id: string,
  items: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const kept = keptItems(items, () => newId(deps));
  const added = await deps.conversations.add(call.caller.accountId, id, kept);
  if (added === "absent") throw absent(id);
  if (added === "over-limit") throw contentFull();
  if (added === "full") throw wrong("items", "make the conversation larger than it may be");
  return kept;
}

function newId({ newAnswerId }: ResponsesDeps): string {
  return newAnswerId().replace(/^answer_/, "");
}

async function find(deps: ResponsesDeps, call: ServiceCall): Promise<Conversation> {
  const found = await deps.conversations.find(call.caller.accountId, idIn(call));
  if (found === undefined) throw absent(idIn(call));
  return found;
}

function conversationObject(id: string, { createdAt, metadata }: Conversation): object {
  return { id, object: "conversation", created_at: createdAt, metadata };
}

function idIn({ params }: ServiceCall): string {
  return params["conversation_id"] ?? "";
}

function itemIdIn({ params }: ServiceCall): string {
  return params["item_id"] ?? "";
}

function absent(id: string): Failure {
  return new Failure("conversation_not_found", `Conversation with id ${JSON.stringify(id.slice(0, 200))} not found.`, {
    param: "conversation_id",
  });
}

function absentItem(id: string): Failure {
  return new Failure(
    "conversation_not_found",
    `The conversation has no item with id ${JSON.stringify(id.slice(0, 200))}.`,
    {
      param: "item_id",
    },
  );
}
