import { Failure } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import { parseJson, renderJson, type JsonBody } from "@modelgate/relay";
import { isRecord, refuseAmbiguous, spliceMembers, withoutMembers } from "@modelgate/wires/json";
import { stepsOf, wires, type InteractionsParams, type JsonObject } from "@modelgate/wires/text";
import { readTurn, type TurnParams } from "../read-text.ts";
import { storedTurns, type ResponsesDeps } from "../responses/index.ts";

/** A parsed request for an interaction. */
export interface ReadInteraction {
  readonly params: InteractionsParams & TurnParams;
  /** Steps of the request, without earlier ones. */
  readonly steps: readonly JsonObject[];
  /** True if the request goes on with an answer that its vendor cut off. */
  readonly isContinuation: boolean;
  /** Member that names the model. */
  readonly named: "model" | "agent";
}

/** Inspects a call's body. Throws Failure (400) naming the field. */
export function readInteraction(
  deps: Pick<ResponsesDeps, "relay">,
  call: Pick<ServiceCall, "caller">,
): (value: unknown, bytes: Buffer) => Promise<ReadInteraction> {
  const { client } = wires.interactions;
  return async (value, bytes) => {
    const params = await readTurn(deps, call, client, value);
    refuseAmbiguous(bytes, client.relied);
    const {
      agent,
      continuation_token: token,
      input,
      webhook_config: webhook,
    }: JsonObject = isRecord(value) ? value : {};
    if (params.isInBackground && !params.store)
      throw new Failure("invalid_value", "background=true requires store=true.", { param: "store" });
    if ((webhook ?? undefined) !== undefined)
      throw new Failure("unsupported_parameter", "webhook_config is not supported: poll the interaction.", {
        param: "webhook_config",
      });
    const named = typeof agent === "string" ? "agent" : "model";
    return { params, steps: stepsOf(input), isContinuation: typeof token === "string", named };
  };
}

/** A request that can be sent to any vendor. */
export interface PreparedInteraction {
  readonly params: InteractionsParams & TurnParams;
  /** The body with the steps of earlier interactions. */
  readonly body: Buffer;
  /** Ids of the interactions before this one. */
  readonly ancestors: readonly string[];
}

/** Members that only the gateway reads. */
const ownMembers = ["previous_interaction_id", "background"];

/** Adds the steps of earlier interactions to a request. Throws Failure (400) for one that is not stored. */
export async function prepareInteraction(
  deps: Pick<ResponsesDeps, "body" | "interactions" | "relay">,
  call: Pick<ServiceCall, "caller">,
  { bytes, holding, seen: { params, steps, isContinuation } }: JsonBody<ReadInteraction>,
): Promise<PreparedInteraction> {
  const { previousId } = params;
  const kept = withoutMembers(bytes, ownMembers);
  if (previousId === undefined) return { params, body: kept, ancestors: [] };
  const { accountId } = call.caller;
  const named = { accountId, previousId, param: "previous_interaction_id" };
  const { ids, last, turns } = await storedTurns(deps.interactions, named, holding);
  // The vendor's token stands for the part that was already answered.
  const earlier = turns.flatMap((turn) => [
    ...turn.input,
    ...(isContinuation && turn === last ? [] : stepsOf(turn.response["steps"])),
  ]);
  const body = spliceMembers(kept, { input: await renderJson([...earlier, ...steps], Infinity) });
  const { maxBytes } = deps.body;
  if (body.length > maxBytes)
    throw new Failure("request_too_large", `The whole conversation is larger than ${maxBytes} bytes.`);
  // Each part of the conversation was within the bounds of a body; the total must be, too.
  const value = await parseJson(body, deps.body);
  return { params: await readTurn(deps, call, wires.interactions.client, value), body, ancestors: ids };
}
