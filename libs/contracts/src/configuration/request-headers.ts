import type { Configuration, ConfigurationProblem } from "./schema.ts";

/** Headers that a channel cannot set: the gateway sets them, or they may change the price. `*` matches any suffix. */
const reservedHeaders: readonly string[] = [
  "authorization",
  "proxy-authorization",
  "proxy-connection",
  "cookie",
  "api-key",
  "x-api-key",
  "x-goog-api-key",
  "xi-api-key",
  "x-amz*",
  "x-date",
  "x-content-sha256",
  "date",
  "x-goog-user-project",
  "openai-api-key",
  "host",
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "http2-settings",
  "content-length",
  "content-type",
  "content-encoding",
  "accept",
  "accept-encoding",
  "sec-*",
  "traceparent",
  "tracestate",
  "x-request-id",
  "x-vertex-ai-*",
  "x-dashscope-*",
  "anthropic-beta",
];

/** Returns true if a channel cannot set a header. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return reservedHeaders.some((each) => (each.endsWith("*") ? lower.startsWith(each.slice(0, -1)) : lower === each));
}

/** Returns true if a text can be the value of a header. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value);
}

/** Returns the invalid headers of channels. Values are never quoted, because they may be secret. */
export function* headerProblems({ channels }: Configuration): Iterable<ConfigurationProblem> {
  for (const [index, { headers = {} }] of channels.entries()) {
    const seen = new Set<string>();
    for (const [name, value] of Object.entries(headers)) {
      const path = `channels[${index}].headers.${name}`;
      const message = headerProblem(name, value);
      if (message !== undefined) yield { path, message };
      else if (seen.has(name.toLowerCase())) yield { path, message: "appears more than once" };
      seen.add(name.toLowerCase());
    }
  }
}

function headerProblem(name: string, value: string): string | undefined {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name)) return "is not the name of a header";
  if (isReservedHeader(name))
    return "cannot be set: the gateway sets the headers of keys, connections and prices itself";
  if (value.startsWith("env:"))
    return /^env:[A-Za-z_]\w*$/.test(value) ? undefined : "must be env: and the name of a variable";
  return isHeaderValue(value) ? undefined : "has a value with characters that are not allowed in a header";
}
