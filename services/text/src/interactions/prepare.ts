import { Failure } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import { parseJson, renderJson, type JsonBody } from "@modelgate/relay";
import { isRecord, refuseAmbiguous, spliceMembers, withoutMembers } from "@modelgate/formats/json";
import { stepsOf, wires, type InteractionsParams, type JsonObject } from "@modelgate/wires/text";
import { readTurnParams, type TurnParams } from "../read-text.ts";
import { readStoredTurns, type ResponsesDeps } from "../responses/index.ts";

/** A parsed request for an interaction, before earlier steps are added. */
export interface ParsedInteraction {
  readonly params: InteractionsParams & TurnParams;
  /** Steps of the request, without those of earlier interactions. */
  readonly steps: readonly JsonObject[];
  /** True if the request continues an answer that its vendor interrupted. */
  readonly isContinuation: boolean;
  /** Field of the request that names the model. */
  readonly target: "model" | "agent";
}

/** Returns the function that parses a call's body. It throws Failure (400) that names the invalid field. */
export function interactionParser(
  deps: Pick<ResponsesDeps, "relay">,
  call: Pick<ServiceCall, "caller">,
): (value: unknown, bytes: Buffer) => Promise<ParsedInteraction> {
  const { client } = wires.interactions;
  return async (value, bytes) => {
    const params = await readTurnParams(deps, call, client, value);
    refuseAmbiguous(bytes, client.inspectedMembers);
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
    const target = typeof agent === "string" ? "agent" : "model";
    return { params, steps: stepsOf(input), isContinuation: typeof token === "string", target };
  };
}

/** A request with the steps of its earlier interactions. It does not depend on what a vendor has stored. */
export interface PreparedInteraction {
  readonly params: InteractionsParams & TurnParams;
  /** The body, which includes the steps of earlier interactions. */
  readonly body: Buffer;
  /** Ids of the earlier interactions, oldest first. */
  readonly ancestors: readonly string[];
}

/** Fields that vendors do not receive. */
const ownMembers = ["previous_interaction_id", "background"];

/** Adds the steps of earlier interactions to a request. Throws Failure, for example if one does not exist. */
export async function prepareInteraction(
  deps: Pick<ResponsesDeps, "body" | "interactions" | "relay">,
  call: Pick<ServiceCall, "caller">,
  { bytes, holding, inspected: { params, steps, isContinuation } }: JsonBody<ParsedInteraction>,
): Promise<PreparedInteraction> {
  const { previousId } = params;
  const remaining = withoutMembers(bytes, ownMembers);
  if (previousId === undefined) return { params, body: remaining, ancestors: [] };
  const { accountId } = call.caller;
  const reference = { accountId, previousId, param: "previous_interaction_id" };
  const { ids, last, turns } = await readStoredTurns(deps.interactions, reference, holding);
  // The steps of the interrupted answer are left out, because the vendor's continuation token replaces them.
  const earlier = turns.flatMap((turn) => [
    ...turn.input,
    ...(isContinuation && turn === last ? [] : stepsOf(turn.response["steps"])),
  ]);
  const body = spliceMembers(remaining, { input: await renderJson([...earlier, ...steps], Infinity) });
  const { maxBytes } = deps.body;
  if (body.length > maxBytes)
    throw new Failure("request_too_large", `The whole conversation is larger than ${maxBytes} bytes.`);
  // The complete conversation must also be within the limits of a body.
  const value = await parseJson(body, deps.body);
  return { params: await readTurnParams(deps, call, wires.interactions.client, value), body, ancestors: ids };
}
