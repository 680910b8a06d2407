import type { ServerResponse } from "node:http";
import {
  endpointOf,
  errorFormatOf,
  Failure,
  findEndpoint,
  firstHeader,
  headers,
  listFormatOf,
} from "@modelgate/contracts";
import { startSpan } from "@modelgate/platform";
import { contextOf, type RequestContext, type Step } from "../request-context.ts";

/** Finds the endpoint by the method and the path. Throws a Failure if there is none. */
export const matchEndpoint: Step = (request, response, next) => {
  const context = contextOf(request);
  const { method = "GET" } = request;
  const endpoint = findEndpoint(method, context.path);
  if (endpoint.kind === "endpoint") {
    context.id = endpoint.id;
    context.endpoint = endpointOf(endpoint.id);
    context.params = endpoint.params;
    const { path } = context.endpoint;
    context.span = startSpan({
      name: `${method} ${path}`,
      kind: "server",
      parent: firstHeader(request.headers, [headers.traceparent]),
      attributes: () => ({ "http.request.method": method, "http.route": path }),
    });
    setFormat(context, response, errorFormatOf(context.endpoint, request.headers, context.query.has("key")));
    return next();
  }
  // If the path does not determine the API format, the headers do.
  const isCommon = endpoint.errors === "common";
  setFormat(context, response, isCommon ? listFormatOf(request.headers, context.query.has("key")) : endpoint.errors);
  switch (endpoint.kind) {
    case "double-v1":
      throw new Failure("invalid_url_double_v1");
    case "wrong-method":
      throw new Failure("method_not_allowed", `This path supports ${endpoint.allow.join(", ")}, not ${method}.`, {
        allow: endpoint.allow,
      });
    case "unknown":
      throw new Failure("unknown_url", unknownPathMessage(method, context.path));
  }
};

/** Sets the format of errors. In Anthropic's format, also sets the header in which its SDKs find the request id. */
function setFormat(context: RequestContext, response: ServerResponse, format: RequestContext["format"]): void {
  context.format = format;
  if (format === "alpha") response.setHeader("request-id", context.requestId);
}

/** Refuses calls to a declared endpoint that is not implemented (501). */
export const requireImplemented: Step = (request, _response, next) => {
  if (contextOf(request).endpoint?.unimplemented) throw new Failure("api_not_implemented");
  next();
};

function unknownPathMessage(method: string, path: string): string {
  const shortPath = path.slice(0, 200);
  const versionedPath = `/v1${path}`;
  if (findEndpoint(method, versionedPath).kind !== "endpoint") return `There is no ${method} ${shortPath}.`;
  return `There is no ${method} ${shortPath}, but there is ${versionedPath.slice(0, 200)}: add /v1 to the base address.`;
}
