import { contentLimitFailure } from "@modelgate/accounts";
import { resolveServingModel, reparseJson, type Call, type JsonBody } from "@modelgate/relay";
import { wires } from "@modelgate/wires/text";
import type { ResponsesDeps } from "../deps.ts";
import { responseIn } from "../answered-response.ts";
import { itemsOf } from "../conversation.ts";
import { prepareResponses, type ParsedResponsesRequest } from "../prepare.ts";
import type { OnAnswered } from "../run-responses.ts";
import { newAnswerId } from "../../text-kind.ts";

/**
 * Answers a request with `generate: false` without calling a vendor. Clients send instructions and tools in advance in
 * this way, for free.
 */
export async function storePrefilledTurn(
  deps: ResponsesDeps,
  call: Call,
  body: JsonBody<ParsedResponsesRequest>,
  onAnswered: OnAnswered,
): Promise<void> {
  const { params, ancestors, body: resolvedBody } = await prepareResponses(deps, call, body);
  resolveServingModel(deps.relay, call, params.model); // throws if the caller must not use the model
  const { client } = wires.responses;
  const requestBody = await reparseJson(body.bytes);
  const { request } = client.read(await reparseJson(resolvedBody));
  const id = newAnswerId(deps, "responses");
  const now = Math.floor(Date.now() / 1_000);
  const writer = client.stream({ model: params.model, requestBody, request, answerId: id, now, inputTokens: 0 });
  writer.write({ type: "usage", usage: {} });
  const startFrames = writer.write({ type: "start", id, model: params.model, createdAt: now });
  const endFrames = writer.write({ type: "finish", choice: 0, reason: "stop" }) + writer.end();
  const response = responseIn(endFrames) ?? {};
  const stored = { response, input: itemsOf(requestBody["input"]), ancestors };
  const verdict = params.store
    ? await deps.responses.save(call.caller.accountId, id, stored, body.bytes.length)
    : "stored";
  if (verdict === "full") throw contentLimitFailure();
  onAnswered(Promise.resolve({ id, stored }));
  call.answer.begin(200, {});
  call.answer.end(startFrames + endFrames);
}
