/** Headers that the gateway reads or defines, in lower case as Node delivers them. */
export const headers = {
  /** On every response; a well-formed one from the client is kept. */
  requestId: "x-request-id",
  /** Signed Caller, from the edge to the services; never accepted from clients. */
  caller: "x-modelgate-caller",
  /** Requests a refusal instead of dropped optional fields. */
  strict: "x-modelgate-strict",
  /** Tags of a call for its usage event, `team=search,feature=chat`. The edge removes the header. */
  tags: "x-modelgate-tags",
  /** Request fields that the serving vendor does not support. */
  dropped: "x-modelgate-dropped",
  /** Model that served the call, if it differs from the one that the client named: a fallback, or a share. */
  model: "x-modelgate-model",
  /** Channel that served the call or failed last, if the caller's group shows channels. */
  channel: "x-modelgate-channel",
  /** Channels that were tried, in order, with the failure of each, if the caller's group shows channels. */
  attempts: "x-modelgate-attempts",
  /** Cost of the call in US dollars. In a stream it is a trailer, present if the vendor reported the usage. */
  cost: "x-modelgate-cost",
  /**
   * Maximum output tokens of each answer in the vendor's request, if the client set no limit and the default limit
   * cannot be paid for.
   */
  maxOutputTokens: "x-modelgate-max-output-tokens",
  /** The vendor's id of the exchange, if it returned one. */
  upstreamRequestId: "x-modelgate-upstream-request-id",
  /** W3C trace context, forwarded from the client to the vendor. */
  traceparent: "traceparent",
  retryAfter: "retry-after",
  /** Read by the vendors' SDKs before they decide by the status whether to retry. */
  shouldRetry: "x-should-retry",
} as const;

/** Prefix of the gateway's headers: the edge removes those from clients, except `x-modelgate-strict`. */
export const ownHeaderPrefix = "x-modelgate-";

/** Names of headers: the interface's first, then common aliases (both are accepted). */
export const headerAliases = {
  alphaVersion: ["alpha-version", "anthropic-version"],
  gammaKey: ["x-gamma-api-key", "x-goog-api-key"],
} as const;

/** Headers as Node delivers them. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the first value under any of the names, in their order. */
export function firstHeader(from: IncomingHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = from[name];
    const first = typeof value === "string" ? value : value?.[0];
    if (first !== undefined && first !== "") return first;
  }
  return undefined;
}
