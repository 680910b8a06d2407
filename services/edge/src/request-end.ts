import type { IncomingMessage } from "node:http";
import { observeRequest, type Logger } from "@modelgate/platform";
import { exchangeOf } from "./exchange.ts";

/** How a request ended. */
export interface RequestEnd {
  readonly status: number;
  /** Whether the client got all of it. */
  readonly whole: boolean;
}

/** Tells of a request that is over: one line (who, what, how long; never a key, never a query), metric and span. */
export function tellEnd(log: Logger, request: IncomingMessage, { status, whole }: RequestEnd): void {
  const { requestId, endpoint, token, startedAt, span } = exchangeOf(request);
  const { method } = request;
  const milliseconds = performance.now() - startedAt;
  log.info(
    {
      requestId,
      method,
      path: endpoint?.path,
      status,
      account: token?.accountId,
      token: token?.id,
      ms: Math.round(milliseconds),
      whole,
    },
    "request",
  );
  observeRequest({ method, route: endpoint?.path, status, seconds: milliseconds / 1_000 });
  span?.set({
    "http.response.status_code": status,
    "modelgate.request": requestId,
    "modelgate.account": token?.accountId,
    "modelgate.token": token?.id,
  });
  span?.end(status >= 500 ? String(status) : undefined);
}
