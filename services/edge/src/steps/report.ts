import type { IncomingMessage, ServerResponse } from "node:http";
import { observeRequest, statusOf, traceIdOf, type Logger } from "@modelgate/platform";
import { contextOf, upgradeOf, type RequestContext, type Step } from "../request-context.ts";

/** Reports each request when it is over: a log line (who, what, how long; never a key, never a query), metric and span. */
export function report(log: Logger): Step {
  return (request, response, next) => {
    response.once("close", () => reportEnd(log, request, response));
    next();
  };
}

function reportEnd(log: Logger, request: IncomingMessage, response: ServerResponse): void {
  const context = contextOf(request);
  const { requestId, endpoint, token, span, failure } = context;
  const { method } = request;
  const { status, isWhole } = answerOf(request, response);
  const milliseconds = performance.now() - context.startedAt;
  const of = { path: endpoint?.path, account: token?.accountId, token: token?.id };
  if (!(isWhole && status === 200 && isCallHere(context))) {
    const end = { status, error: failure?.code, ms: Math.round(milliseconds), whole: isWhole };
    log.info({ requestId, traceId: traceIdOf(span), method, ...of, ...end }, "request");
  }
  observeRequest({ method, route: of.path, status, seconds: milliseconds / 1_000 });
  span?.set({
    "http.response.status_code": status,
    "modelgate.request": requestId,
    "modelgate.account": of.account,
    "modelgate.token": of.token,
  });
  span?.end(failure?.code ?? (status >= 500 ? String(status) : undefined));
}

/** Returns the status of a request's answer, and whether its client got all of it. */
function answerOf(request: IncomingMessage, response: ServerResponse) {
  const switched = upgradeOf(request)?.status;
  const isSent = switched !== undefined || response.writableFinished;
  return {
    status: switched ?? statusOf(response),
    isWhole: isSent && contextOf(request).failure === undefined,
  };
}

/** Returns whether the request is a call that this process serves itself, and logs in a line for the call. */
function isCallHere({ isLocal, endpoint }: RequestContext): boolean {
  return isLocal === true && endpoint?.kinds !== undefined && endpoint.free !== true;
}
