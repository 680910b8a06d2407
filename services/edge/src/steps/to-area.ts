import type { IncomingMessage } from "node:http";
import { Failure, headers, ownHeaderPrefix } from "@modelgate/contracts";
import { signCaller } from "@modelgate/platform";
import type { Deps } from "../deps.ts";
import { contextOf, upgradeOf, type RequestContext, type Step } from "../request-context.ts";

/** Headers that clients may not send to services, in addition to the gateway's internal headers. */
const strippedHeaders = new Set([
  "x-forwarded-for",
  "x-forwarded-host",
  "forwarded",
  "cookie",
  "proxy-authorization",
  "expect",
]);

/** Passes a call or WebSocket to its area: directly if this process serves the area, otherwise through the proxy. */
export function toArea({ areas, proxy, secret, proxies }: Pick<Deps, "areas" | "proxy" | "secret" | "proxies">): Step {
  return (request, response, next) => {
    if (response.destroyed) return; // the client left while the call was admitted
    const context = contextOf(request);
    const upgrade = upgradeOf(request);
    if (upgrade !== undefined && proxy.isDraining)
      throw new Failure("server_overloaded", "This gateway is shutting down; reconnect.", { retryAfterSeconds: 1 });
    if (proxies === 0) delete request.headers["x-forwarded-proto"];
    cleanHeaders(request, context);
    const call = admittedCall(context);
    const { area } = call.endpoint;
    const local = areas.get(area);
    context.isLocal = local !== undefined;
    if (local === undefined) {
      request.headers[headers.caller] = signCaller(secret, call.caller);
      return proxy.pass(area, request, response, next);
    }
    if (upgrade === undefined) return local.take({ request, response, ...call });
    const { socket, head } = upgrade;
    void local.takeUpgrade({ request, socket, head, ...call }).then((status) => {
      upgrade.status = status;
    });
  };
}

/** Removes headers that clients may not send to services. Sets request id, trace and URL (without the key). */
function cleanHeaders(request: IncomingMessage, { requestId, span, path, query }: RequestContext): void {
  const strict = request.headers[headers.strict];
  for (const name of Object.keys(request.headers)) {
    if (name.startsWith(ownHeaderPrefix) || strippedHeaders.has(name)) delete request.headers[name];
  }
  if (strict !== undefined) request.headers[headers.strict] = strict;
  request.headers[headers.requestId] = requestId;
  const traceparent = span?.traceparent;
  if (traceparent === undefined) delete request.headers[headers.traceparent];
  else request.headers[headers.traceparent] = traceparent;
  request.url = path + (query.size === 0 ? "" : `?${query.toString()}`);
}

/** Returns the results of all steps. Throws an error if a step did not run. */
function admittedCall({ id, endpoint, params = {}, query, caller, requestId, span }: RequestContext) {
  if (id === undefined || endpoint === undefined || caller === undefined || span === undefined)
    throw new Error("a request is forwarded before it is admitted");
  return { id, endpoint, params, query, caller, requestId, span };
}
