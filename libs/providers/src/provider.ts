import type { FailureCode } from "@modelgate/contracts";

/** A text wire that a vendor speaks; the client's own wire, if listed, passes through. */
export type UpstreamWire = "chat";

/** A vendor's refusal, understood. */
export interface VendorFailure {
  readonly code: FailureCode;
  /** What the client may be told: the vendor's words without addresses and keys. Absent: our own words. */
  readonly say?: string | undefined;
  readonly vendorCode?: string | undefined;
  readonly param?: string | undefined;
  /** Whether another channel or key may do better. */
  readonly retryable: boolean;
  /** What is to blame, for cooling it down: the client's input, one key, or the whole channel. */
  readonly blame: "request" | "key" | "channel";
}

/** A vendor: what to send where, and what its errors mean. It never sends. */
export interface Provider {
  readonly name: string;
  /** Preferred first. */
  readonly wires: readonly UpstreamWire[];
  /** The address of a call, from exactly what that vendor's own SDK takes as base URL. */
  address(baseUrl: string, wire: UpstreamWire): URL;
  /** The headers that carry the channel's key. */
  authorize(key: string): Readonly<Record<string, string>>;
  /** What an answer with an error status means; `body` is its text, cut at a bound. */
  failureOf(status: number, body: string): VendorFailure;
}
