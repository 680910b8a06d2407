import { Failure } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import type { JsonBody } from "@modelgate/relay";
import {
  askOfResponses,
  changeResponsesBody,
  isRecord,
  refuseAmbiguous,
  reliedOfResponses,
  type JsonObject,
  type ResponsesAsk,
} from "@modelgate/wires";
import { asTurn, type TurnAsk } from "../conversation-of.ts";
import type { Deps } from "../deps.ts";
import { ownCompaction } from "./compaction-seal.ts";
import { earlierTurns, itemsOf, openCompactions } from "./conversation.ts";
import { refersToOurs, resolveReferences } from "./item-references.ts";

/** A request as it was read: what it asks for, and its value where it refers to something that only we can tell. */
export interface ReadResponses {
  readonly ask: ResponsesAsk & TurnAsk;
  readonly unresolved: JsonObject | undefined;
}

/** A look at a call's body; the value of one that needs nothing resolved is let go. Throws Failure (400) naming the field. */
export function readResponses(
  deps: Pick<Deps, "relay">,
  call: Pick<ServiceCall, "caller">,
): (value: unknown, bytes: Buffer) => ReadResponses {
  const ask = asTurn(deps, call, "responses", askOfResponses);
  return (value, bytes) => read(ask(value), value, bytes);
}

function read(ask: ReadResponses["ask"], value: unknown, bytes: Buffer): ReadResponses {
  refuseAmbiguous(bytes, reliedOfResponses);
  if (!isRecord(value)) throw new Failure("invalid_value", "The body must be a JSON object.");
  if (value["background"] === true)
    throw new Failure(
      "unsupported_parameter",
      "background cannot be true: answers are given while their client waits.",
      {
        param: "background",
      },
    );
  const refers = ask.previousId !== undefined || itemsOf(value["input"]).some(isOurs);
  return { ask, unresolved: refers ? value : undefined };
}

/** Whether only this gateway knows what an item means. */
function isOurs(item: JsonObject): boolean {
  return ownCompaction(item) !== undefined || refersToOurs(item);
}

/** A request that any vendor can be sent. */
export interface PreparedResponses {
  readonly ask: ResponsesAsk & TurnAsk;
  /** The body, with all that it referred to in it. */
  readonly body: Buffer;
  /** The client's own body, for the one vendor that keeps the conversation under the same ids. */
  readonly native?: { readonly place: string; readonly body: Buffer } | undefined;
  /** Ids of the responses before this one. */
  readonly ancestors: readonly string[];
}

/** Resolves what a request refers to: earlier responses, items of them, and compactions of ours. Throws Failure (400) for what is unknown. */
export async function prepareResponses(
  deps: Deps,
  call: ServiceCall,
  { bytes, seen: { ask, unresolved } }: JsonBody<ReadResponses>,
): Promise<PreparedResponses> {
  if (unresolved === undefined) return { ask, body: bytes, ancestors: [] };
  const {
    responses: store,
    compactions: seal,
    body: { maxBytes },
  } = deps;
  const { accountId } = call.caller;
  const earlier = ask.previousId === undefined ? undefined : await earlierTurns(store, accountId, ask.previousId);
  const said = itemsOf(unresolved["input"]);
  const whole = await resolveReferences(store, accountId, [...(earlier?.items ?? []), ...said]);
  const input = openCompactions(seal, accountId, whole);
  const resolved = { input, previous_response_id: null };
  const body = changeResponsesBody(bytes, resolved);
  if (body.length > maxBytes)
    throw new Failure("request_too_large", `The whole conversation is larger than ${maxBytes} bytes; compact it.`);
  const keptAt = said.some(isOurs) ? undefined : earlier?.last.keptAt;
  return {
    ask: asTurn(deps, call, "responses", askOfResponses)({ ...unresolved, ...resolved }),
    body,
    native: keptAt === undefined ? undefined : { place: keptAt, body: bytes },
    ancestors: earlier?.ids ?? [],
  };
}
