import { inTurnsIfLong, type ServiceCall } from "@modelgate/platform";
import { readJson, type Conversation, type JsonBody } from "@modelgate/relay";
import { isRecord } from "@modelgate/formats/json";
import type { TextClient, TextParams } from "@modelgate/wires/text";
import type { RequestPath } from "@modelgate/wires/wire";
import { conversationOf } from "./conversation-of.ts";
import type { Deps } from "./deps.ts";
import { storeUseIn, type StoreUse } from "./vendor-ids.ts";

/** Parameters of a text request, with its conversation, its end user and its use of the vendor's store. */
export interface TurnParams extends TextParams, StoreUse {
  /** Conversation that the request belongs to; absent if it has none, or if the model has only one route. */
  readonly conversation?: Conversation | undefined;
  /** True if the request enables reasoning. */
  readonly thinks?: boolean;
  readonly endUser?: string | undefined;
}

/** Reads and parses the body of a text call. Throws Failure. */
export function readText<Params extends TextParams>(
  deps: Deps,
  call: ServiceCall,
  client: TextClient<Params>,
  path?: RequestPath,
): Promise<JsonBody<Params & TurnParams>> {
  return readJson(call, deps.body, (body) => readTurnParams(deps, call, client, body, path), client.inspectedMembers);
}

/** Reads the parameters of a text request from its parsed body. Throws Failure (400) that names the invalid field. */
export function readTurnParams<Params extends TextParams>(
  { relay }: Pick<Deps, "relay">,
  { caller }: Pick<ServiceCall, "caller">,
  client: TextClient<Params>,
  body: unknown,
  path: RequestPath = {},
): (Params & TurnParams) | Promise<Params & TurnParams> {
  const params = client.readParams(body, path);
  const record = isRecord(body) ? body : {};
  const candidates = relay.catalog.current().candidates(params.model, caller.group);
  const hasChoice = candidates.length > 1 || (candidates[0]?.channel.keys.length ?? 0) > 1;
  const dialogue = hasChoice ? client.dialogue?.(record) : undefined;
  const read = {
    ...params,
    conversation: dialogue === undefined ? undefined : conversationOf(dialogue),
    endUser: client.endUser?.(record),
    thinks: client.requestsReasoning?.(record) ?? false,
  };
  const use = inTurnsIfLong(storeUseIn(relay, client.stores, body));
  return use instanceof Promise ? use.then((found) => ({ ...read, ...found })) : { ...read, ...use };
}
