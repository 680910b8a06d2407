import { errorFormatOfPath, firstHeader, headers } from "@modelgate/contracts";
import { idSource, isRequestId } from "@modelgate/platform";
import { setContext, type Step } from "../request-context.ts";

const newId = idSource("req");

/** Creates the request's context, with the client's request id if it is valid, otherwise with a new one. */
export const assignRequestId: Step = (request, response, next) => {
  const clientRequestId = firstHeader(request.headers, [headers.requestId]);
  const id = clientRequestId !== undefined && isRequestId(clientRequestId) ? clientRequestId : newId();
  const url = request.url ?? "/";
  const queryStart = url.indexOf("?");
  const path = queryStart < 0 ? url : url.slice(0, queryStart);
  setContext(request, {
    requestId: id,
    startedAt: performance.now(),
    path,
    query: new URLSearchParams(queryStart < 0 ? "" : url.slice(queryStart + 1)),
    format: errorFormatOfPath(path),
  });
  response.setHeader(headers.requestId, id);
  next();
};
