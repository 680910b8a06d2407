import type { IncomingMessage, ServerResponse } from "node:http";
import { endpointLabel, type Failure } from "@modelgate/contracts";
import { answerFailure, discardRestOfBody, failureFrom, idsOf } from "@modelgate/platform";
import type { Logger, RequestIds } from "@modelgate/platform";
import type { Deps } from "../deps.ts";
import { contextOf } from "../request-context.ts";

/**
 * Answers a thrown error in the request's API format, and records it if the endpoint and the API key are known. Express
 * recognizes an error handler by its four parameters.
 */
export function onError({ log, refused }: Pick<Deps, "log" | "refused">) {
  return (error: unknown, request: IncomingMessage, response: ServerResponse, _next: unknown): void => {
    const failure = failureFrom(error);
    const context = contextOf(request);
    context.failure = failure;
    const { requestId, id, endpoint, token, format } = context;
    // The 501 of an endpoint that modelgate does not have is intended, but not that of a service without an address.
    const isIntended = failure.code === "api_not_implemented" && endpoint?.unimplemented === true;
    if (failure.status >= 500 && !isIntended) logFailure(log, failure, idsOf(context));
    if (id !== undefined && token !== undefined)
      refused.add({ requestId, accountId: token.accountId, tokenId: token.id, endpoint: endpointLabel(id) }, failure);
    discardRestOfBody(request);
    answerFailure(response, format, failure, requestId);
  };
}

function logFailure(log: Logger, failure: Failure, ids: RequestIds): void {
  const line = { ...ids, err: failure.cause ?? failure };
  if (failure.code === "internal_error") log.error(line, "request failed");
  else log.warn(line, "request failed");
}
