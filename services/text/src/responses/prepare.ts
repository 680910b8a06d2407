import type { ChannelKeyId } from "@modelgate/catalog";
import { Failure } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import { parseJson, renderJson, type AdmittedIds, type JsonBody } from "@modelgate/relay";
import { isRecord, refuseAmbiguous, spliceMembers, withoutMembers } from "@modelgate/formats/json";
import { responseOfItem, wires, type JsonObject, type ResponsesParams } from "@modelgate/wires/text";
import type { ResponsesDeps } from "./deps.ts";
import { readTurnParams, type TurnParams } from "../read-text.ts";
import { completionWindowOf, type CompletionWindow } from "./background/completion-window.ts";
import { encryptedCompactionOf } from "./compaction/compaction-cipher.ts";
import { readConversationItems } from "./conversations/conversation-turns.ts";
import { readEarlierTurns, itemsOf, decryptCompactions } from "./conversation.ts";
import { admitStoreUse } from "../vendor-ids.ts";
import { refersToOwnItem, resolveReferences } from "./item-references.ts";

/** A parsed request, before its references are resolved. */
export interface ParsedResponsesRequest {
  readonly params: ResponsesParams & TurnParams;
  /** The body if it refers to a conversation, or to data of this gateway; otherwise undefined. */
  readonly unresolved: JsonObject | undefined;
  /** Conversation that the request names; it is stored by the gateway or by the vendor. */
  readonly conversationId: string | undefined;
  /** True if the response is generated in the background. */
  readonly isInBackground: boolean;
  /** Completion window of a response in the background; undefined if the request has no `background_options`. */
  readonly window: CompletionWindow | undefined;
}

/** Returns the function that parses a call's body. It throws Failure (400) that names the invalid field. */
export function responsesParser(
  deps: Pick<ResponsesDeps, "relay">,
  call: Pick<ServiceCall, "caller">,
): (value: unknown, bytes: Buffer) => Promise<ParsedResponsesRequest> {
  return async (value, bytes) => read(await readTurnParams(deps, call, wires.responses.client, value), value, bytes);
}

function read(params: ParsedResponsesRequest["params"], value: unknown, bytes: Buffer): ParsedResponsesRequest {
  refuseAmbiguous(bytes, wires.responses.client.inspectedMembers);
  if (!isRecord(value)) throw new Failure("invalid_value", "The body must be a JSON object.");
  const isInBackground = value["background"] === true;
  if (isInBackground && !params.store)
    throw new Failure(
      "invalid_value",
      "background needs a response that is stored: leave store out, or set it to true.",
      {
        param: "store",
      },
    );
  const conversationId = conversationIn(value["conversation"]);
  if (conversationId !== undefined && params.previousId !== undefined)
    throw new Failure("invalid_value", "conversation and previous_response_id cannot both be given.", {
      param: "conversation",
    });
  const refers = conversationId !== undefined || hasOwnReferences(params, value);
  const window = completionWindowOf(value);
  return { params, conversationId, unresolved: refers ? value : undefined, isInBackground, window };
}

/** Returns true if a request refers to a response, an item or a compaction of this gateway. */
function hasOwnReferences({ previousId }: ParsedResponsesRequest["params"], { input }: JsonObject): boolean {
  return previousId !== undefined || itemsOf(input).some(isResolvableHere);
}

function conversationIn(conversation: unknown): string | undefined {
  const id = isRecord(conversation) ? conversation["id"] : conversation;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** Returns true if only this gateway can resolve an item. */
function isResolvableHere(item: JsonObject): boolean {
  return encryptedCompactionOf(item) !== undefined || refersToOwnItem(item);
}

/** A request that can be sent to any vendor. */
export interface PreparedResponses {
  readonly params: ResponsesParams & TurnParams;
  /** The body, with all references resolved. */
  readonly body: Buffer;
  readonly admitted: AdmittedIds;
  /** The client's unchanged body, for the one route whose vendor stores the conversation under the same ids. */
  readonly native?: { readonly channelKey: ChannelKeyId; readonly body: Buffer } | undefined;
  /** Ids of the earlier responses, oldest first. */
  readonly ancestors: readonly string[];
  /** Conversation to which this turn is added. */
  readonly conversationId?: string | undefined;
}

/** Returns the ids in a request that are neither of an item that this gateway may have returned nor of its conversation. */
function foreignIdsIn({ vendorIds = [] }: ParsedResponsesRequest["params"], conversationId: string | undefined) {
  return vendorIds.filter(
    ({ store, id, isRemovable }) =>
      !(store === "item" && isRemovable !== true && responseOfItem(id) !== undefined) &&
      !(store === "conversation" && id === conversationId),
  );
}

/**
 * Returns the ids in a request that must be checked. Those of earlier turns were checked when these were sent, or come
 * from a vendor; the records of their creation may have expired.
 */
function idsAfter(earlierItems: number, { vendorIds = [] }: ParsedResponsesRequest["params"]) {
  return vendorIds.filter(({ path, isRemovable }) => {
    const index = /^input\[(\d+)\]/.exec(path)?.[1];
    return isRemovable === true || index === undefined || Number(index) >= earlierItems;
  });
}

/** Result for a request that names no earlier response. */
const noEarlierTurns = { items: [], last: undefined, ids: [] };

/**
 * Resolves the references of a request to data of this gateway. Throws Failure, for example for an unknown reference.
 */
export async function prepareResponses(
  deps: Pick<ResponsesDeps, "relay" | "responses" | "conversations" | "compactions" | "body">,
  call: Pick<ServiceCall, "caller">,
  { bytes, holding, inspected: { params, unresolved, conversationId: requestedId } }: JsonBody<ParsedResponsesRequest>,
): Promise<PreparedResponses> {
  const { accountId } = call.caller;
  const newItems = itemsOf(unresolved?.["input"]);
  const addedItems = newItems.length + 1; // the answer is at least one item
  const conversationItemsBefore =
    requestedId === undefined
      ? undefined
      : await readConversationItems(deps.conversations, { accountId, id: requestedId }, addedItems, holding);
  const conversationId = conversationItemsBefore === undefined ? undefined : requestedId;
  const admitted = await admitStoreUse(deps, call, { vendorIds: foreignIdsIn(params, conversationId) });
  // A conversation that the gateway has not stored may be in the vendor's store, so the request is sent unchanged.
  if (unresolved === undefined || (conversationId === undefined && !hasOwnReferences(params, unresolved)))
    return { params, body: bytes, admitted, ancestors: [] };
  const {
    responses: store,
    compactions: cipher,
    body: { maxBytes },
  } = deps;
  const { previousId } = params;
  const earlier =
    previousId === undefined ? noEarlierTurns : await readEarlierTurns(store, { accountId, previousId }, holding);
  const earlierItems = await resolveReferences(store, accountId, earlier.items, holding);
  const ownItems = [...(conversationItemsBefore ?? []), ...newItems];
  const items = [...earlierItems, ...(await resolveReferences(store, accountId, ownItems, holding))];
  const input = decryptCompactions(cipher, accountId, items);
  const remaining = conversationId === undefined ? bytes : withoutMembers(bytes, ["conversation"]);
  const body = spliceMembers(remaining, { input: await renderJson(input, Infinity), previous_response_id: "null" });
  if (body.length > maxBytes)
    throw new Failure("request_too_large", `The whole conversation is larger than ${maxBytes} bytes; compact it.`);
  // The complete conversation must also be within the limits of a body.
  const value = await parseJson(body, deps.body);
  const keptAt = newItems.some(isResolvableHere) ? undefined : earlier.last?.keptAt;
  const resolved = await readTurnParams(deps, call, wires.responses.client, value);
  // Items of a conversation are checked only here. An item id that was not found here may be a vendor's id that only
  // looks like one of the gateway's.
  const resolvedIds = await admitStoreUse(deps, call, { vendorIds: idsAfter(earlierItems.length, resolved) });
  return {
    params: resolved,
    body,
    admitted: { ...resolvedIds, channelKey: admitted.channelKey ?? resolvedIds.channelKey },
    native: keptAt === undefined ? undefined : { channelKey: keptAt, body: bytes },
    ancestors: earlier.ids,
    conversationId,
  };
}
