import type { IncomingMessage, ServerResponse } from "node:http";
import { Failure } from "@modelgate/contracts";

/** Headers of answers that a page may read. */
const exposed = [
  "x-request-id",
  "request-id",
  "retry-after",
  "x-should-retry",
  "x-modelgate-dropped",
  "x-modelgate-channel",
  "x-modelgate-attempts",
  "x-modelgate-cost",
  ...["requests", "tokens"].flatMap((what) => [
    `x-ratelimit-limit-${what}`,
    `x-ratelimit-remaining-${what}`,
    `x-ratelimit-reset-${what}`,
    `anthropic-ratelimit-${what}-limit`,
    `anthropic-ratelimit-${what}-remaining`,
    `anthropic-ratelimit-${what}-reset`,
  ]),
  // Of a video that is read in ranges.
  "accept-ranges",
  "content-range",
  "etag",
].join(", ");

/** Lets pages of the allowed origins call. True where the request was a preflight, answered here without a key. */
export function cors(origins: string): (request: IncomingMessage, response: ServerResponse) => boolean {
  const allowed = originsOf(origins);
  return (request, response) => {
    const origin = request.headers.origin;
    if (!allowed.has("*")) response.setHeader("vary", "origin");
    if (origin !== undefined && (allowed.has("*") || allowed.has(origin))) {
      response.setHeader("access-control-allow-origin", allowed.has("*") ? "*" : origin);
      response.setHeader("access-control-expose-headers", exposed);
    }
    if (request.method !== "OPTIONS") return false;
    response.writeHead(204, {
      "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
      "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "*",
      "access-control-max-age": "86400",
    });
    response.end();
    return true;
  };
}

/**
 * A WebSocket is not held back by its browser as a fetch is: pages of other origins are refused here (403). Clients
 * that are no pages send no origin and pass.
 */
export function allowedOrigin(origins: string): (request: IncomingMessage) => void {
  const allowed = originsOf(origins);
  return ({ headers: { origin } }) => {
    if (origin === undefined || allowed.has("*") || allowed.has(origin)) return;
    throw new Failure("origin_not_allowed", undefined, { param: "origin" });
  };
}

function originsOf(origins: string): ReadonlySet<string> {
  return new Set(origins.split(",").map((origin) => origin.trim()));
}
