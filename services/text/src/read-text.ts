import type { ServiceCall } from "@modelgate/platform";
import { checked, readJson, type Conversation, type JsonBody, type RelayDeps } from "@modelgate/relay";
import { isRecord } from "@modelgate/wires/json";
import type { TextClient, TextAsk } from "@modelgate/wires/text";
import type { RequestPath } from "@modelgate/wires/wire";
import { conversationOf } from "./conversation-of.ts";
import type { Deps } from "./deps.ts";
import { storeUseOf, type StoreUse } from "./vendor-ids.ts";

/** A text request, with what only its parsed body shows. */
export interface TurnAsk extends TextAsk, StoreUse {
  /** The conversation that it is a turn of; absent also where its model can be reached one way only. */
  readonly conversation?: Conversation | undefined;
  /** Whether it asks for thoughts. */
  readonly thinks?: boolean;
  /** The end user that it names. */
  readonly endUser?: string | undefined;
}

/** Reads the body of a text call in its client's wire. Throws Failure (400) naming the field that is wrong. */
export async function readText<Ask extends TextAsk>(
  deps: Deps,
  call: ServiceCall,
  client: TextClient<Ask>,
  path?: RequestPath,
): Promise<JsonBody<Ask & TurnAsk>> {
  return await readJson(call, deps.body, checked(asTurn(deps, call, client, path), client.relied));
}

/** Reads a parsed body as a turn of its conversation. */
export function asTurn<Ask extends TextAsk>(
  { relay }: Pick<Deps, "relay">,
  call: Pick<ServiceCall, "caller">,
  client: TextClient<Ask>,
  path: RequestPath = {},
): (body: unknown) => Promise<Ask & TurnAsk> {
  return async (body) => {
    const ask = client.ask(body, path);
    const record = isRecord(body) ? body : {};
    const dialogue = hasChoice(relay, call, ask.model) ? client.dialogue?.(record) : undefined;
    return {
      ...ask,
      conversation: dialogue === undefined ? undefined : conversationOf(dialogue),
      endUser: client.endUser?.(record),
      thinks: client.thoughts?.asked(record) ?? false,
      ...(await storeUseOf({ relay }, client.stores, body)),
    };
  };
}

function hasChoice(
  { catalog }: Pick<RelayDeps, "catalog">,
  { caller }: Pick<ServiceCall, "caller">,
  model: string,
): boolean {
  const candidates = catalog.current().candidates(model, caller.group);
  return candidates.length > 1 || candidates.some(({ channel }) => channel.keys.length > 1);
}
