import { Failure } from "@modelgate/contracts";
import { upgradeOf, type Step } from "../request-context.ts";

const exposedHeaders = [
  "x-request-id",
  "request-id",
  "retry-after",
  "x-should-retry",
  "x-modelgate-dropped",
  "x-modelgate-channel",
  "x-modelgate-attempts",
  "x-modelgate-cost",
  "x-modelgate-max-output-tokens",
  "x-modelgate-model",
  "x-modelgate-upstream-request-id",
  ...["limit", "remaining", "reset"].flatMap((part) =>
    ["requests", "tokens"].flatMap((unit) => [`x-ratelimit-${part}-${unit}`, `anthropic-ratelimit-${unit}-${part}`]),
  ),
  // Headers of a video that is read in ranges.
  "accept-ranges",
  "content-range",
  "etag",
].join(", ");

/** Allows calls from web pages of the configured origins. Answers preflight requests, which have no key. */
export function cors(origins: string): Step {
  const allowed = originsOf(origins);
  const isOpen = allowed.has("*");
  return (request, response, next) => {
    const { origin } = request.headers;
    if (!isOpen) response.setHeader("vary", "origin");
    if (origin !== undefined && (isOpen || allowed.has(origin))) {
      response.setHeader("access-control-allow-origin", isOpen ? "*" : origin);
      response.setHeader("access-control-expose-headers", exposedHeaders);
    }
    if (request.method !== "OPTIONS") return next();
    response.writeHead(204, {
      "access-control-allow-methods": "GET, POST, PATCH, DELETE, OPTIONS",
      "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "*",
      "access-control-max-age": "86400",
    });
    response.end();
  };
}

/**
 * Refuses WebSockets from web pages of origins that are not configured (403), because browsers do not apply CORS to
 * WebSockets. Clients other than browsers send no origin.
 */
export function checkOrigin(origins: string): Step {
  const allowed = originsOf(origins);
  return (request, _response, next) => {
    const { origin: from } = request.headers;
    if (upgradeOf(request) === undefined || from === undefined || allowed.has("*") || allowed.has(from)) return next();
    throw new Failure("origin_not_allowed", undefined, { param: "origin" });
  };
}

function originsOf(origins: string): ReadonlySet<string> {
  return new Set(origins.split(",").map((origin) => origin.trim()));
}
