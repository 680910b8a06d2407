/** Every header that this product reads or gives a meaning; all lower case, as node reads them. */
export const headers = {
  /** On every response; the client's own is kept when it is well formed. */
  requestId: "x-request-id",
  /** The signed Caller, from the edge to the services; never accepted from outside. */
  caller: "x-modelgate-caller",
  /** A client that wants a refusal rather than a dropped hint. */
  strict: "x-modelgate-strict",
  /** Tags of a call for the operator's books, `team=search,feature=chat`. The edge removes the header. */
  tags: "x-modelgate-tags",
  /** Request fields that the serving vendor could not take. */
  dropped: "x-modelgate-dropped",
  /** The model that served the call, where it is not the one that the client named: a fallback, or a share. */
  model: "x-modelgate-model",
  /** The channel that served the call, or that it went to last; where the caller's group shows channels. */
  channel: "x-modelgate-channel",
  /** The channels that were tried, in their order, with why one failed; likewise. */
  attempts: "x-modelgate-attempts",
  /** Cost of the call in US dollars. A stream has it as a trailer, if its vendor reported the usage. */
  cost: "x-modelgate-cost",
  /** Maximum output tokens of each answer in the vendor's request, where the client named no bound and the default one cannot be paid for. */
  maxOutputTokens: "x-modelgate-max-output-tokens",
  /** The vendor's own id of the exchange, where it gave one. */
  upstreamRequestId: "x-modelgate-upstream-request-id",
  /** The W3C's trace context; carried from the client on to the vendor. */
  traceparent: "traceparent",
  retryAfter: "retry-after",
  /** Read by the vendors' SDKs before they retry by status. */
  shouldRetry: "x-should-retry",
} as const;

/** Headers with this prefix are ours: the edge drops what comes from outside, but for `x-modelgate-strict`. */
export const ownHeaderPrefix = "x-modelgate-";

/** The interface's own header names first, then their everyday aliases (both are served). */
export const headerAliases = {
  alphaVersion: ["alpha-version", "anthropic-version"],
  gammaKey: ["x-gamma-api-key", "x-goog-api-key"],
} as const;

/** Headers as node gives them. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The first value found under any of the names, in their order. */
export function firstHeader(from: IncomingHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = from[name];
    const first = typeof value === "string" ? value : value?.[0];
    if (first !== undefined && first !== "") return first;
  }
  return undefined;
}
