import { observeRequest, statusOf, traceIdOf, type Logger } from "@modelgate/platform";
import { contextOf, upgradeOf, type RequestContext, type Step } from "../request-context.ts";

/** Reports each request when it is over: a log line (who, what, how long; never a key, never a query), metric and span. */
export function report(log: Logger): Step {
  return (request, response, next) => {
    response.once("close", () => {
      const status = upgradeOf(request)?.status;
      const whole = status !== undefined || response.writableFinished;
      reportEnd(log, contextOf(request), { method: request.method, status: status ?? statusOf(response), whole });
    });
    next();
  };
}

/** The end of a request. */
interface RequestEnd {
  readonly method: string | undefined;
  readonly status: number;
  /** Whether the client got all of the answer. */
  readonly whole: boolean;
}

function reportEnd(log: Logger, context: RequestContext, { method, status, whole }: RequestEnd): void {
  const { requestId, endpoint, token, span, failure } = context;
  const milliseconds = performance.now() - context.startedAt;
  const of = { path: endpoint?.path, account: token?.accountId, token: token?.id };
  const isWhole = whole && failure === undefined;
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

/** Whether the request is a call that this process serves itself, and logs in a line for the call. */
function isCallHere({ isLocal, endpoint }: RequestContext): boolean {
  return isLocal === true && endpoint?.kinds !== undefined && endpoint.free !== true;
}
