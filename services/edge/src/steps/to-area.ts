import type { IncomingHttpHeaders } from "node:http";
import { Failure, headers, ownHeaderPrefix } from "@modelgate/contracts";
import type { Deps } from "../deps.ts";
import { contextOf, upgradeOf, type RequestContext, type Step } from "../request-context.ts";
import { keyHeaders } from "./key.ts";

/** Headers that are not forwarded to services, in addition to those with `ownHeaderPrefix`. */
const strippedHeaders = new Set<string>([
  ...keyHeaders,
  headers.traceparent,
  "x-forwarded-for",
  "x-forwarded-host",
  "forwarded",
  "cookie",
  "proxy-authorization",
  "expect",
]);

/** Sends a call or WebSocket to its area: directly if this process serves the area, otherwise through the proxy. */
export function toArea({
  areas,
  proxy,
  callers,
  proxies,
}: Pick<Deps, "areas" | "proxy" | "callers" | "proxies">): Step {
  return (request, response, next) => {
    if (response.destroyed) return; // the client disconnected while the call was admitted
    const context = contextOf(request);
    const upgrade = upgradeOf(request);
    if (upgrade !== undefined && proxy.isDraining)
      throw new Failure("server_overloaded", "This gateway is shutting down; reconnect.", { retryAfterSeconds: 1 });
    request.headers = headersToForward(request.headers, context, proxies);
    request.url = context.path + (context.query.size === 0 ? "" : `?${context.query.toString()}`);
    const call = admittedCall(context);
    const { area } = call.endpoint;
    const local = areas.get(area);
    context.isLocal = local !== undefined;
    if (local === undefined) {
      request.headers[headers.caller] = callers.sign(call.caller);
      return proxy.pass(area, request, response, next);
    }
    if (upgrade === undefined) return local.handle({ request, response, ...call });
    const { socket, head } = upgrade;
    void local.handleUpgrade({ request, socket, head, ...call }).then((status) => {
      upgrade.status = status;
    });
  };
}

/** Returns a new object, because an object with deleted members is slow. */
function headersToForward(
  received: IncomingHttpHeaders,
  { requestId, span }: RequestContext,
  proxies: number,
): IncomingHttpHeaders {
  const forwarded: IncomingHttpHeaders = {};
  for (const name of Object.keys(received)) {
    const isStripped = strippedHeaders.has(name) || (proxies === 0 && name === "x-forwarded-proto");
    const isOwn = name.startsWith(ownHeaderPrefix) && name !== headers.strict;
    if (!isStripped && !isOwn) forwarded[name] = received[name];
  }
  forwarded[headers.requestId] = requestId;
  if (span?.traceparent !== undefined) forwarded[headers.traceparent] = span.traceparent;
  return forwarded;
}

function admittedCall({ id, endpoint, params = {}, query, caller, requestId, span }: RequestContext) {
  if (id === undefined || endpoint === undefined || caller === undefined || span === undefined)
    throw new Error("a request is forwarded before it is admitted");
  return { id, endpoint, params, query, caller, requestId, span };
}
