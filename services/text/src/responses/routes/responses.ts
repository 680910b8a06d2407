import { Failure } from "@modelgate/contracts";
import { answerJson, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { readJson, type JsonBody } from "@modelgate/relay";
import { wires } from "@modelgate/wires/text";
import { inputTokensOf } from "../../count-tokens.ts";
import type { BackgroundRuns } from "../background/background-runs.ts";
import { responseForm } from "../background/event-form.ts";
import { followEvents } from "../background/follow-events.ts";
import { responseJob } from "../background/response-job.ts";
import type { ResponsesDeps } from "../deps.ts";
import { prepareResponses, readResponses, type ReadResponses } from "../prepare.ts";
import { runResponses } from "../run-responses.ts";

/** POST /v1/responses (interface endpoint 4). */
export function responses(deps: ResponsesDeps, background: BackgroundRuns): EndpointHandler {
  return async (call) => {
    const read = await readJson(call, deps.body, readResponses(deps, call));
    if (read.seen.isInBackground) return await inBackground(deps, background, call, read);
    using body = read;
    await runResponses(deps, call, body);
  };
}

/**
 * Starts a background response. Answers immediately with the queued response, or streams its events. The body is
 * disposed with the run.
 */
async function inBackground(
  deps: ResponsesDeps,
  background: BackgroundRuns,
  call: ServiceCall,
  body: JsonBody<ReadResponses>,
): Promise<void> {
  const { stream } = body.seen.params;
  const response = await background.begin(call, body, responseForm, (id) => responseJob(deps, call, body, id));
  if (!stream) return answerJson(call.response, 200, response);
  const at = { accountId: call.caller.accountId, id: String(response["id"]) };
  await followEvents(deps, call, responseForm, at, -1);
}

/** POST /v1/responses/input_tokens: counts input tokens. The request may refer to stored data. */
export function countResponseTokens(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const { count } = wires.responses.client;
    using body = await readJson(call, deps.body, readResponses(deps, call));
    const { params, body: whole, admitted, native } = await prepareResponses(deps, call, body);
    const prefer = native?.channelKey ?? admitted.channelKey;
    const counted = { wire: wires.responses, body: whole, params, admitted, prefer };
    answerJson(call.response, 200, count.render(await inputTokensOf(deps, call, counted)));
  };
}

/** Refuses GET /v1/responses if the request is not a WebSocket handshake. */
export function connectResponses(): EndpointHandler {
  return () => Promise.reject(new Failure("websocket_required"));
}
