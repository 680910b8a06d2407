import type { IncomingMessage, ServerResponse } from "node:http";
import { observeRequest, statusOf, traceIdOf, type Logger } from "@modelgate/platform";
import { contextOf, upgradeOf, type RequestContext, type Step } from "../request-context.ts";

/**
 * Reports each finished request in metrics, a span and the log, without key and query. Successful calls that an area of
 * this process logs are not logged again.
 */
export function reportRequests(log: Logger): Step {
  return (request, response, next) => {
    response.on("close", () => reportRequest(log, request, response));
    next();
  };
}

function reportRequest(log: Logger, request: IncomingMessage, response: ServerResponse): void {
  const context = contextOf(request);
  const { requestId, startedAt, endpoint, token, span, failure } = context;
  const error = failure?.code;
  const { method } = request;
  const upgradeStatus = upgradeOf(request)?.status;
  const status = upgradeStatus ?? statusOf(response);
  const isWritten = upgradeStatus !== undefined || response.writableFinished;
  const isComplete = isWritten && (failure === undefined || status >= 400);
  const milliseconds = performance.now() - startedAt;
  const details = { path: endpoint?.path, account: token?.accountId, token: token?.id };
  if (!(isComplete && status === 200 && isLoggedByArea(context))) {
    const end = { status, error, ms: Math.round(milliseconds), whole: isComplete };
    log.info({ requestId, traceId: traceIdOf(span), method, ...details, ...end }, "request");
  }
  observeRequest({ method, route: details.path, status, seconds: milliseconds / 1_000 });
  if (span === undefined) return;
  span.set({
    "http.response.status_code": status,
    "modelgate.request": requestId,
    "modelgate.account": details.account,
    "modelgate.token": details.token,
  });
  span.end(spanError(status, error));
}

/** Returns the error of a span. A refused request of a client has no error. */
function spanError(status: number, error: string | undefined): string | undefined {
  if (status < 400) return error;
  return status < 500 ? undefined : (error ?? String(status));
}

function isLoggedByArea({ isLocal, endpoint }: RequestContext): boolean {
  return isLocal === true && endpoint?.kinds !== undefined && endpoint.free !== true;
}
