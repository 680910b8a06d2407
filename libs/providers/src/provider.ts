import type { FailureCode, UpstreamWire, VideoWire } from "@modelgate/contracts";
import type { ChatDialect } from "@modelgate/wires/text";
import type { SigningCall, StartCall, VendorCall } from "./call.ts";
import type { VendorRequest } from "./request.ts";

/** A vendor's error, classified. */
export interface VendorFailure {
  readonly code: FailureCode;
  /** Message for the client: the vendor's, without addresses and keys. Absent: the gateway's default message. */
  readonly message?: string | undefined;
  readonly vendorCode?: string | undefined;
  readonly param?: string | undefined;
  /** True if another channel or key may succeed. */
  readonly retryable: boolean;
  /**
   * Cause of the failure, which is put on cooldown: the client's input, one key (only where the error is about that
   * key), the complete channel, or a model or endpoint that the vendor does not have.
   */
  readonly blame: "request" | "key" | "channel" | "model" | "wire";
  /** True if the endpoint refused what another endpoint of the vendor accepts. */
  readonly isAboutEndpoint?: true;
  /**
   * True if the vendor refused a thinking signature or encrypted reasoning that it did not create, or that it created
   * for another account.
   */
  readonly isAboutSeals?: true;
  /** True if the client cannot have caused it: a signature, a clock, a session that has ended. */
  readonly isCertain?: true;
  /** Delay that the vendor requests before the next request, if the body gives one, in ms. */
  readonly retryAfterMs?: number | undefined;
}

/** A vendor: makes requests and classifies errors. It sends nothing. */
export interface Provider {
  readonly name: string;
  /** Display name; absent: `name`. */
  readonly title?: string | undefined;
  /** Default base URL of a channel; `${NAME}` is a part that differs per customer. */
  readonly baseUrl?: string | undefined;
  /** Environment variable of the key, for a channel without one. */
  readonly keyVariable?: string | undefined;
  /** Default key of a channel, where it selects a chain of credential sources. */
  readonly usualKey?: string | undefined;
  /** True if operators run it themselves: by default it needs no key, and its tokens are free. */
  readonly isLocal?: true | undefined;
  /** Name in the bundled catalogue of prices. */
  readonly pricesAs?: string | undefined;
  /** Path of the list of models, under the base URL; absent: the vendor has no list. */
  readonly modelsAt?: string | undefined;
  /** Differences from the chat wire. */
  readonly dialect?: ChatDialect | undefined;
  /** Default wires, best first. A channel can name others; a missing endpoint is detected by its first calls. */
  readonly wires: readonly UpstreamWire[];
  /** Returns the wires of a model at a base URL, best first; undefined: `wires`. */
  wiresAt?(baseUrl: string, model: string): readonly UpstreamWire[] | undefined;
  /** Further wires that a channel may name; only some models support them. */
  readonly moreWires?: readonly UpstreamWire[];
  /**
   * Makes the complete request for a call, unsigned if `sign` is present. Throws Failure: unsupported_parameter for
   * what the vendor does not have, upstream_error for a task of a vendor without tasks.
   */
  request(call: VendorCall): VendorRequest;
  /**
   * Makes authorization headers that are fetched, or computed over the complete request. `signed` calls it last, just
   * before the request is sent. Rejects with CredentialsFailed. Absent: `request` makes them.
   */
  sign?(request: VendorRequest, call: SigningCall): Promise<Readonly<Record<string, string>>>;
  /**
   * Returns the model's name for the first message of a session, where the address does not name it; absent: the name
   * unchanged.
   */
  modelInSession?(baseUrl: string, model: string): string;
  /** Returns the conversion of a wire's stream framing, where the vendor's framing differs from the wire's. */
  reframing?(wire: UpstreamWire): Reframing | undefined;
  /** Describes an error in a base URL, as text that follows `baseUrl`; undefined for none. */
  addressProblem?(baseUrl: string): string | undefined;
  /** Describes why a text is not a valid key, without repeating it; replaces the general check of header characters. */
  keyProblem?(key: string): string | undefined;
  /**
   * Makes the request that starts a video task, in steps of a millisecond, since pictures of megabytes are written into
   * it. Absent: the vendor has no video tasks. Throws Failure unsupported_parameter (remixing a video).
   */
  start?(call: StartCall): Generator<undefined, VendorRequest>;
  /** True if the base URL may have a query, which the addresses keep. */
  readonly baseUrlQuery?: true;
  /** Returns the stored id of a started video task, derived from the vendor's id; absent: the vendor's id. */
  taskOf?(id: string, start: Pick<StartCall, "model" | "fromImage">): string;
  /** Wires whose finished videos the vendor serves itself; for others a poll returns the video's address. */
  readonly downloads?: readonly VideoWire[];
  /** Form of its keys, as a pattern and as text; absent: any text. */
  readonly keyForm?: { readonly pattern: RegExp; readonly words: string };
  /** Classifies an answer with an error status. `body` is its text, shortened to a maximum. */
  failureOf(status: number, body: string): VendorFailure;
}

/** Indexes vendors by name. Throws where two have the same name, so that neither silently replaces the other. */
export function byUniqueName(vendors: readonly Provider[]): Readonly<Record<string, Provider>> {
  const byName: Record<string, Provider> = {};
  for (const vendor of vendors) {
    if (vendor.name in byName) throw new Error(`two vendors are named ${vendor.name}`);
    byName[vendor.name] = vendor;
  }
  return byName;
}

/** Converts a vendor's stream to the framing that its wire usually has. */
export interface Reframing {
  /** Media type of the vendor's stream. */
  readonly from: string;
  /** Media type of the converted stream. */
  readonly to: string;
  /** Opens the conversion of one stream. */
  open(): Reframer;
}

interface Reframer {
  /** Returns the frames that are complete, converted. Throws RangeError for a damaged stream. */
  push(chunk: Buffer): Buffer;
}
