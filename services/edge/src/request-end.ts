import type { IncomingMessage } from "node:http";
import type { Failure } from "@modelgate/contracts";
import { observeRequest, traceIdOf, type Logger, type RequestIds } from "@modelgate/platform";
import { contextOf, type RequestContext } from "./request-context.ts";

/** How a request ended. */
export interface RequestEnd {
  readonly status: number;
  /** Whether the client got all of it. */
  readonly whole: boolean;
}

/** Reports a request that is over: a log line (who, what, how long; never a key, never a query), metric and span. */
export function reportEnd(log: Logger, request: IncomingMessage, { status, whole }: RequestEnd): void {
  const context = contextOf(request);
  const { requestId, endpoint, token, startedAt, span, failure } = context;
  const { method } = request;
  const milliseconds = performance.now() - startedAt;
  const isWhole = whole && failure === undefined;
  if (!(isWhole && status === 200 && isCallHere(context)))
    logRequest(log, context, { method, status, milliseconds, isWhole });
  observeRequest({ method, route: endpoint?.path, status, seconds: milliseconds / 1_000 });
  span?.set({
    "http.response.status_code": status,
    "modelgate.request": requestId,
    "modelgate.account": token?.accountId,
    "modelgate.token": token?.id,
  });
  span?.end(failure?.code ?? (status >= 500 ? String(status) : undefined));
}

/** A request as its line of log has it. */
interface RequestLine {
  readonly method: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
  readonly isWhole: boolean;
}

function logRequest(
  log: Logger,
  { requestId, endpoint, token, span, failure }: RequestContext,
  { method, status, milliseconds, isWhole }: RequestLine,
): void {
  log.info(
    {
      requestId,
      traceId: traceIdOf(span),
      method,
      path: endpoint?.path,
      status,
      error: failure?.code,
      account: token?.accountId,
      token: token?.id,
      ms: Math.round(milliseconds),
      whole: isWhole,
    },
    "request",
  );
}

/** Whether the request is a call that this process itself serves, and logs in a line of its own. */
function isCallHere({ isLocal, endpoint }: RequestContext): boolean {
  return isLocal === true && endpoint?.kinds !== undefined && endpoint.free !== true;
}

/**
 * Logs what the edge could not do for a request. An endpoint that is declared only (501) is answered as it is meant to be,
 * a store or service that is away is a warning each time, and only what should not happen at all is an error.
 */
export function logFailure(log: Logger, failure: Failure, ids: RequestIds): void {
  if (failure.status < 500 || failure.code === "api_not_implemented") return;
  const line = { ...ids, err: failure.cause ?? failure };
  if (failure.code === "internal_error") log.error(line, "request failed");
  else log.warn(line, "request failed");
}
