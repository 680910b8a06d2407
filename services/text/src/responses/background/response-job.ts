import { withoutUndefined } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import { reparseJson, type JsonBody } from "@modelgate/relay";
import { spliceMembers, withoutMembers } from "@modelgate/formats/json";
import { wires, type JsonObject } from "@modelgate/wires/text";
import { responseIn } from "../answered-response.ts";
import { itemsOf } from "../conversation.ts";
import { addTurn } from "../conversations/conversation-turns.ts";
import type { ResponsesDeps } from "../deps.ts";
import { prepareResponses, responsesParser, type PreparedResponses, type ParsedResponsesRequest } from "../prepare.ts";
import { runPrepared } from "../run-responses.ts";
import type { BackgroundJob } from "./background-runs.ts";

/** Prepares a response that is generated in the background. Throws Failure (400). */
export async function responseJob(
  deps: ResponsesDeps,
  call: ServiceCall,
  clientBody: JsonBody<ParsedResponsesRequest>,
  id: string,
): Promise<BackgroundJob> {
  const body = await withWindowAsTier(deps, call, clientBody);
  const prepared = await prepareResponses(deps, call, body);
  const { ancestors, conversationId, params } = prepared;
  const requestBody = await reparseJson(body.bytes);
  const response = queuedResponse(id, params.model, requestBody);
  const { previous_response_id, conversation } = response;
  const echo = { background: true, previous_response_id, conversation };
  return {
    model: params.model,
    queued: { response, input: itemsOf(requestBody["input"]), ancestors },
    // If the answer is passed through, these fields replace the vendor's.
    patch: withoutUndefined({ id, ...echo }),
    run: (responseCall, onStart) =>
      runPrepared(deps, responseCall, body, asStreamedRequest(prepared), {
        answerId: id,
        echo,
        isStoredByCaller: true,
        onStart,
      }),
    async onStored(stored) {
      const { status } = stored.response;
      if (conversationId !== undefined && (status === "completed" || status === "incomplete"))
        await addTurn(deps, call, conversationId, stored);
    },
  };
}

/**
 * Returns a request without `background_options`, which only the gateway reads. The windows "2h" and "8h" become the
 * service tier `flex`.
 */
async function withWindowAsTier(
  deps: ResponsesDeps,
  call: ServiceCall,
  body: JsonBody<ParsedResponsesRequest>,
): Promise<JsonBody<ParsedResponsesRequest>> {
  const { holding, inspected: read } = body;
  if (read.window === undefined) return body;
  const remainingBody = withoutMembers(body.bytes, ["background_options"]);
  const bytes = read.window === "soonest" ? remainingBody : spliceMembers(remainingBody, { service_tier: '"flex"' });
  const inspected = await responsesParser(deps, call)(await reparseJson(bytes), bytes);
  return { bytes, inspected, holding, [Symbol.dispose]: () => undefined };
}

function queuedResponse(id: string, model: string, requestBody: JsonObject): JsonObject {
  const now = Math.floor(Date.now() / 1_000);
  const request = { model, stream: true, instructions: [], turns: [] };
  const writer = wires.responses.client.stream({ model, requestBody, request, answerId: id, now, inputTokens: 0 });
  const startedResponse = responseIn(writer.write({ type: "start", id, model, createdAt: now }));
  return { ...startedResponse, status: "queued" };
}

/** Changes the request so that the vendor streams its answer in the foreground. */
function asStreamedRequest({ params, body, native, ...rest }: PreparedResponses): PreparedResponses {
  return {
    ...rest,
    params: { ...params, stream: true },
    body: asStream(body),
    native: native && { ...native, body: asStream(native.body) },
  };
}

/** Returns the body of a request for a stream in the foreground. */
export function asStream(body: Buffer): Buffer {
  return spliceMembers(withoutMembers(body, ["background"]), { stream: "true" });
}
