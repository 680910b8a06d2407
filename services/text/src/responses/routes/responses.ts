import { Failure } from "@modelgate/contracts";
import { answerJson, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { readJson, type JsonBody } from "@modelgate/relay";
import { wires } from "@modelgate/wires/text";
import { inputTokensOf } from "../../count-tokens.ts";
import type { BackgroundRuns, PrepareJob } from "../background/background-runs.ts";
import { responsesEventFormat, type EventFormat } from "../background/event-format.ts";
import { followEvents } from "../background/follow-events.ts";
import { responseJob } from "../background/response-job.ts";
import type { ResponsesDeps } from "../deps.ts";
import { prepareResponses, responsesParser } from "../prepare.ts";
import { runResponses } from "../run-responses.ts";

/** POST /v1/responses. */
export function responses(deps: ResponsesDeps, background: BackgroundRuns): EndpointHandler {
  return async (call) => {
    const read = await readJson(call, deps.body, responsesParser(deps, call));
    if (read.inspected.isInBackground)
      return await answerInBackground(deps, background, call, {
        format: responsesEventFormat,
        body: read,
        stream: read.inspected.params.stream,
        prepare: (id) => responseJob(deps, call, read, id),
      });
    using body = read;
    await runResponses(deps, call, body);
  };
}

interface BackgroundAnswer {
  readonly format: EventFormat;
  readonly body: JsonBody<unknown>;
  /** True if the client receives the events; otherwise it receives the queued state. */
  readonly stream: boolean;
  readonly prepare: PrepareJob;
}

/** Starts a response or an interaction in the background. Answers with the queued state, or streams the events. */
export async function answerInBackground(
  deps: ResponsesDeps,
  background: BackgroundRuns,
  call: ServiceCall,
  { format, body, stream, prepare }: BackgroundAnswer,
): Promise<void> {
  const queued = await background.begin(call, body, format, prepare);
  if (!stream) return answerJson(call.response, 200, queued);
  await followEvents(deps, call, format, { accountId: call.caller.accountId, id: String(queued["id"]) }, -1);
}

/** POST /v1/responses/input_tokens: counts input tokens. The request may refer to stored data. */
export function countResponseTokens(deps: ResponsesDeps): EndpointHandler {
  return async (call) => {
    const { count } = wires.responses.client;
    using body = await readJson(call, deps.body, responsesParser(deps, call));
    const { params, body: resolvedBody, admitted, native } = await prepareResponses(deps, call, body);
    const prefer = native?.channelKey ?? admitted.channelKey;
    const countRequest = { wire: wires.responses, body: resolvedBody, params, admitted, prefer };
    answerJson(call.response, 200, count.render(await inputTokensOf(deps, call, countRequest)));
  };
}

/** Refuses GET /v1/responses. A WebSocket handshake does not reach this handler. */
export function connectResponses(): EndpointHandler {
  return () => Promise.reject(new Failure("websocket_required"));
}
