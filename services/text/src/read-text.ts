import type { ServiceCall } from "@modelgate/platform";
import { readJson, type Conversation, type JsonBody } from "@modelgate/relay";
import { isRecord, refuseAmbiguous } from "@modelgate/wires/json";
import type { TextClient, TextParams } from "@modelgate/wires/text";
import type { RequestPath } from "@modelgate/wires/wire";
import { conversationOf } from "./conversation-of.ts";
import type { Deps } from "./deps.ts";
import { storeUseOf, type StoreUse } from "./vendor-ids.ts";

/** A text request, with the fields that only its parsed body shows. */
export interface TurnParams extends TextParams, StoreUse {
  /** The conversation that the request belongs to; absent where the model has only one route. */
  readonly conversation?: Conversation | undefined;
  /** True where the request enables reasoning. */
  readonly thinks?: boolean;
  /** The end user named by the request. */
  readonly endUser?: string | undefined;
}

/** Parses the body of a text call in its client's wire. Throws Failure (400) naming the invalid field. */
export async function readText<Params extends TextParams>(
  deps: Deps,
  call: ServiceCall,
  client: TextClient<Params>,
  path?: RequestPath,
): Promise<JsonBody<Params & TurnParams>> {
  return await readJson(call, deps.body, async (body, bytes) => {
    const turn = await readTurn(deps, call, client, body, path);
    refuseAmbiguous(bytes, client.relied);
    return turn;
  });
}

/** Reads a parsed body as a turn of its conversation. Throws Failure as `readText` does. */
export async function readTurn<Params extends TextParams>(
  { relay }: Pick<Deps, "relay">,
  { caller }: Pick<ServiceCall, "caller">,
  client: TextClient<Params>,
  body: unknown,
  path: RequestPath = {},
): Promise<Params & TurnParams> {
  const params = client.readParams(body, path);
  const record = isRecord(body) ? body : {};
  const candidates = relay.catalog.current().candidates(params.model, caller.group);
  const hasChoice = candidates.length > 1 || (candidates[0]?.channel.keys.length ?? 0) > 1;
  const dialogue = hasChoice ? client.dialogue?.(record) : undefined;
  const { vendorIds, makes } = await storeUseOf({ relay }, client.stores, body);
  return {
    ...params,
    conversation: dialogue === undefined ? undefined : conversationOf(dialogue),
    endUser: client.endUser?.(record),
    thinks: client.thoughts?.isRequested(record) ?? false,
    vendorIds,
    makes,
  };
}
