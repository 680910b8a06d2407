import type { FailureCode, UpstreamWire } from "@modelgate/contracts";
import type { VideoAccess } from "./video/access.ts";

/** A vendor's refusal, understood. */
export interface VendorFailure {
  readonly code: FailureCode;
  /** What the client may be told: the vendor's words without addresses and keys. Absent: our own words. */
  readonly say?: string | undefined;
  readonly vendorCode?: string | undefined;
  readonly param?: string | undefined;
  /** Whether another channel or key may do better. */
  readonly retryable: boolean;
  /**
   * What is to blame, for cooling it down: the client's input, one key, the whole channel, or a model or an endpoint that
   * the vendor does not have.
   */
  readonly blame: "request" | "key" | "channel" | "model" | "wire";
  /** What the vendor refuses is a seal of thoughts: one that it did not make, or made for another account. */
  readonly aboutSeals?: true;
  /** The key is wrong or its account closed: asking again with it changes nothing. */
  readonly keyIsInvalid?: true;
  /** When the vendor wants to be asked again, where it says so in the body. */
  readonly retryAfterMs?: number | undefined;
}

/** One call, as far as its address depends on it. */
export interface UpstreamCall {
  /** Exactly what that vendor's own SDK takes as base URL. */
  readonly baseUrl: string;
  readonly wire: UpstreamWire;
  /** The vendor's name of the model. */
  readonly model: string;
  readonly stream: boolean;
}

/** A vendor: what to send where, and what its errors mean. It never sends. */
export interface Provider {
  readonly name: string;
  /** What it usually speaks, best first. A channel can say otherwise, and an endpoint that is missing is found out. */
  readonly wires: readonly UpstreamWire[];
  /** What a channel may say that it speaks beside: there is an address for it, and some of its family have it. */
  readonly moreWires?: readonly UpstreamWire[];
  address(call: UpstreamCall): URL;
  /** Its base URL may have a query, which its addresses keep. */
  readonly baseUrlQuery?: true;
  /** Where a task stands that an answer named, for vendors that answer with one. */
  taskAddress?(task: { readonly baseUrl: string; readonly task: string }): URL;
  /** The headers that carry the channel's key, and those that the wire demands. */
  headers(call: { readonly key: string; readonly wire: UpstreamWire }): Readonly<Record<string, string>>;
  /** The form of its keys, as a pattern and in words, where not every text is one. */
  readonly keyForm?: { readonly pattern: RegExp; readonly words: string };
  /** What an answer with an error status means; `body` is its text, cut at a bound. */
  failureOf(status: number, body: string): VendorFailure;
  /** Its video tasks, where it makes videos. */
  readonly video?: VideoAccess;
}
