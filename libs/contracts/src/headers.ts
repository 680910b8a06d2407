/** Headers that the gateway reads or defines, in lower case as in Node. */
export const headers = {
  /** Id of the request, on every response. A well-formed id of the client is used unchanged. */
  requestId: "x-request-id",
  /** Signed `Caller`, sent from the edge to the services. Never accepted from clients. */
  caller: "x-modelgate-caller",
  /** Refuses unsupported optional fields if `true`. Without it, they are dropped. */
  strict: "x-modelgate-strict",
  /** Tags of a call for its usage event, such as `team=search,feature=chat`. */
  tags: "x-modelgate-tags",
  /** Request fields that were dropped because the vendor does not support them. */
  dropped: "x-modelgate-dropped",
  /** Model that served the call, if it differs from the requested one. */
  model: "x-modelgate-model",
  /** Channel that served the call or failed last. Sent if the caller's group shows channels. */
  channel: "x-modelgate-channel",
  /** Tried channels, with the failure of each. Sent if the caller's group shows channels. */
  attempts: "x-modelgate-attempts",
  /** Cost of the call in US dollars; a trailer after a stream. */
  cost: "x-modelgate-cost",
  /** Maximum output tokens that the gateway requested, if the balance does not cover the default. */
  maxOutputTokens: "x-modelgate-max-output-tokens",
  /** Vendor's id of the call. */
  upstreamRequestId: "x-modelgate-upstream-request-id",
  /** W3C trace context, forwarded from the client to the vendor. */
  traceparent: "traceparent",
  retryAfter: "retry-after",
  /** Tells the vendors' SDKs whether to retry. They read it before they decide by the status. */
  shouldRetry: "x-should-retry",
} as const;

/** Prefix of the gateway's headers. The edge removes such headers of clients, except `x-modelgate-strict`. */
export const ownHeaderPrefix = "x-modelgate-";

/** Accepted names of a header, the gateway's name first. */
export const headerAliases = {
  alphaVersion: ["alpha-version", "anthropic-version"],
  gammaKey: ["x-gamma-api-key", "x-goog-api-key"],
} as const;

/** Headers of a request in the form that Node delivers. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the first non-empty value among headers, in the order of `names`. */
export function firstHeader(from: IncomingHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = from[name];
    const first = typeof value === "string" ? value : value?.[0];
    if (first !== undefined && first !== "") return first;
  }
  return undefined;
}
