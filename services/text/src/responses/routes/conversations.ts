import { contentLimitFailure } from "@modelgate/accounts";
import { bodies, Failure } from "@modelgate/contracts";
import { answerJson, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { readJson, type JsonBody } from "@modelgate/relay";
import { bodyReader } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";
import type { ConversationRef } from "../conversations/conversation-scripts.ts";
import type { Conversation, ItemPage } from "../conversations/conversation-store.ts";
import type { ResponsesDeps } from "../deps.ts";
import { listOf, readPageQuery, unknownAfterFailure, invalidParameter } from "./pages.ts";
import { withMemory } from "./with-memory.ts";

const readCreation = bodyReader(bodies.CreateConversationRequest);
const readUpdate = bodyReader(bodies.UpdateConversationRequest);
const readAddition = bodyReader(bodies.ConversationItemsRequest);

/** POST /v1/conversations: creates a conversation. */
export function createConversation(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, readCreation, ["items", "metadata"]);
    const { items, metadata } = body.inspected;
    const ref = { accountId: call.caller.accountId, id: `conv_${newId(deps)}` };
    const conversation = { createdAt: Math.floor(Date.now() / 1_000), metadata: metadata ?? {} };
    if (!(await deps.conversations.save(ref, conversation, body.holding))) throw contentLimitFailure();
    if (items != null && items.length > 0) await addInitialItems(deps, ref, items, body);
    answerJson(call.response, 200, conversationObject(ref.id, conversation));
  };
}

/** GET /v1/conversations/{conversation_id}: returns the conversation without its items. */
export function getConversation(deps: ResponsesDeps): EndpointHandler {
  return async (call) =>
    answerJson(call.response, 200, conversationObject(idIn(call), await requireConversation(deps, call)));
}

/** POST /v1/conversations/{conversation_id}: replaces the metadata. */
export function updateConversation(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, readUpdate, ["metadata"]);
    const conversation = { ...(await requireConversation(deps, call)), metadata: body.inspected.metadata ?? {} };
    if (!(await deps.conversations.save(conversationRefOf(call), conversation, body.holding)))
      throw contentLimitFailure();
    answerJson(call.response, 200, conversationObject(idIn(call), conversation));
  };
}

/** DELETE /v1/conversations/{conversation_id}. */
export function deleteConversation(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const conversation = conversationRefOf(call);
    if (!(await deps.conversations.remove(conversation))) throw conversationNotFound(conversation.id);
    answerJson(call.response, 200, { id: conversation.id, object: "conversation.deleted", deleted: true });
  };
}

/** GET /v1/conversations/{conversation_id}/items: pages by `limit`, `after` and `order`. */
export function listConversationItems(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const range = readPageQuery(call.query);
    await withMemory(deps, call, async (memory) => {
      const page = await deps.conversations.read(conversationRefOf(call), range, memory);
      if (page === undefined) throw conversationNotFound(idIn(call));
      if (page === "unknown") throw unknownAfterFailure();
      answerJson(call.response, 200, renderPage(page));
    });
  };
}

/** POST /v1/conversations/{conversation_id}/items: appends items. */
export function addConversationItems(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, readAddition, ["items"]);
    answerJson(call.response, 200, listOf(await addItems(deps, conversationRefOf(call), body.inspected.items, body)));
  };
}

/** GET /v1/conversations/{conversation_id}/items/{item_id}: returns one item. */
export function getConversationItem(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    await requireConversation(deps, call);
    await withMemory(deps, call, async (memory) => {
      const item = await deps.conversations.readItem(conversationRefOf(call), itemIdIn(call), memory);
      if (item === undefined) throw itemNotFound(itemIdIn(call));
      answerJson(call.response, 200, item);
    });
  };
}

/** DELETE /v1/conversations/{conversation_id}/items/{item_id}: removes the item and returns the conversation. */
export function deleteConversationItem(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const conversation = await requireConversation(deps, call);
    const id = itemIdIn(call);
    await withMemory(deps, call, async (memory) => {
      if (!(await deps.conversations.removeItem(conversationRefOf(call), id, memory))) throw itemNotFound(id);
    });
    answerJson(call.response, 200, conversationObject(idIn(call), conversation));
  };
}

/** Appends the first items. Removes the conversation if they cannot be stored. */
async function addInitialItems(
  deps: ResponsesDeps,
  conversation: ConversationRef,
  items: readonly JsonObject[],
  body: Pick<JsonBody<unknown>, "holding">,
): Promise<void> {
  try {
    await addItems(deps, conversation, items, body);
  } catch (error) {
    await deps.conversations.remove(conversation);
    throw error;
  }
}

async function addItems(
  deps: ResponsesDeps,
  conversation: ConversationRef,
  items: readonly JsonObject[],
  { holding: memory }: Pick<JsonBody<unknown>, "holding">,
): Promise<readonly JsonObject[]> {
  const added = await deps.conversations.add(conversation, { items, newId: () => newId(deps), memory });
  if (added.verdict === "absent") throw conversationNotFound(conversation.id);
  if (added.verdict === "over-limit") throw contentLimitFailure();
  if (added.verdict === "full") throw invalidParameter("items", added.problem);
  return added.items;
}

/** Renders a page of items, which are JSON already. */
function renderPage({ ids, texts, hasMore }: ItemPage): Buffer {
  const [first, last] = [ids[0] ?? null, ids.at(-1) ?? null];
  const rest = JSON.stringify({ first_id: first, last_id: last, has_more: hasMore }).slice(1);
  const data = texts.flatMap((text, index) => (index === 0 ? [text] : [comma, text]));
  return Buffer.concat([Buffer.from('{"object":"list","data":['), ...data, Buffer.from(`],${rest}`)]);
}

const comma = Buffer.from(",");

function newId({ newAnswerId }: ResponsesDeps): string {
  return newAnswerId().replace(/^answer_/, "");
}

async function requireConversation(deps: ResponsesDeps, call: ServiceCall): Promise<Conversation> {
  const stored = await deps.conversations.find(conversationRefOf(call));
  if (stored === undefined) throw conversationNotFound(idIn(call));
  return stored;
}

function conversationObject(id: string, { createdAt, metadata }: Conversation): object {
  return { id, object: "conversation", created_at: createdAt, metadata };
}

function conversationRefOf(call: ServiceCall): ConversationRef {
  return { accountId: call.caller.accountId, id: idIn(call) };
}

function idIn({ params }: ServiceCall): string {
  return params["conversation_id"] ?? "";
}

function itemIdIn({ params }: ServiceCall): string {
  return params["item_id"] ?? "";
}

function conversationNotFound(id: string): Failure {
  return new Failure("conversation_not_found", `Conversation with id ${JSON.stringify(id.slice(0, 200))} not found.`, {
    param: "conversation_id",
  });
}

function itemNotFound(id: string): Failure {
  return new Failure(
    "conversation_not_found",
    `The conversation has no item with id ${JSON.stringify(id.slice(0, 200))}.`,
    {
      param: "item_id",
    },
  );
}
