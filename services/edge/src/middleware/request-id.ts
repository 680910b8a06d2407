import type { IncomingMessage, ServerResponse } from "node:http";
import { errorFormatOfPath, firstHeader, headers } from "@modelgate/contracts";
import { idSource, isRequestId } from "@modelgate/platform";
import { setContext } from "../request-context.ts";

const newId = idSource("req");

/** First of all: an id on every answer. The client's own is kept when it is well formed. */
export function requestId(request: IncomingMessage, response: ServerResponse): void {
  const given = firstHeader(request.headers, [headers.requestId]);
  const id = given !== undefined && isRequestId(given) ? given : newId();
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const format = errorFormatOfPath(path);
  setContext(request, {
    requestId: id,
    startedAt: performance.now(),
    path,
    query: new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)),
    format,
  });
  response.setHeader(headers.requestId, id);
  if (format === "alpha") response.setHeader("request-id", id);
}
