import type { FailureCode, UpstreamWire, VideoWire } from "@modelgate/contracts";
import type { ChatDialect } from "@modelgate/wires/text";
import type { SigningCall, StartCall, VendorCall } from "./call.ts";
import type { VendorRequest } from "./request.ts";

/** A vendor's refusal, understood. */
export interface VendorFailure {
  readonly code: FailureCode;
  /** Message for the client: the vendor's, without addresses and keys. Absent: the gateway's own message. */
  readonly message?: string | undefined;
  readonly vendorCode?: string | undefined;
  readonly param?: string | undefined;
  /** True if another channel or key may succeed. */
  readonly retryable: boolean;
  /**
   * The cause, which is cooled down: the client's input, one key (only where the vendor says so of the key itself), the
   * whole channel, or a model or an endpoint that the vendor does not have.
   */
  readonly blame: "request" | "key" | "channel" | "model" | "wire";
  /** The endpoint refuses what another endpoint of the vendor accepts. */
  readonly isAboutEndpoint?: true;
  /**
   * True if the vendor refused a thinking signature or encrypted reasoning that it did not create, or that it created
   * for another account.
   */
  readonly isAboutSeals?: true;
  /** It is about what admits a call, which no client has a part in: a signature, a clock, a session that is over. */
  readonly isCertain?: true;
  /** Time after which the vendor wants the next request, where the body says so. */
  readonly retryAfterMs?: number | undefined;
}

/** A vendor: what to send where, and what its errors mean. It never sends. */
export interface Provider {
  readonly name: string;
  /** Name that people read; absent: `name`. */
  readonly title?: string | undefined;
  /** Base URL of a channel that names none; `${NAME}` is a part that differs by customer. */
  readonly baseUrl?: string | undefined;
  /** The variable that holds its key for a channel that names none. */
  readonly keyVariable?: string | undefined;
  /** The key of a channel that names none, if it means a chain of sources. */
  readonly usualKey?: string | undefined;
  /** It is run by its operator: by default it needs no key, and its tokens cost nothing. */
  readonly isLocal?: true | undefined;
  /** Its name in the bundled catalogue of prices. */
  readonly pricesAs?: string | undefined;
  /** Path of its list of models, under the base URL; absent: it has no list. */
  readonly modelsAt?: string | undefined;
  /** Differences from the chat wire. */
  readonly dialect?: ChatDialect | undefined;
  /** Its usual wires, best first. A channel can name others, and a missing endpoint is discovered by its calls. */
  readonly wires: readonly UpstreamWire[];
  /** Returns the wires of one of its models at a base URL, best first, where they differ. Undefined: `wires`. */
  wiresAt?(baseUrl: string, model: string): readonly UpstreamWire[] | undefined;
  /** Further wires that a channel may name: there is an address for each, and some models support them. */
  readonly moreWires?: readonly UpstreamWire[];
  /**
   * Makes the whole request for a call, signed where the vendor wants that. Throws Failure: unsupported_parameter for
   * what the vendor does not have, upstream_error for a task of a vendor without tasks.
   */
  request(call: VendorCall): VendorRequest;
  /**
   * Makes the headers that admit a request where they are fetched, or computed over all of it. It is called last, just before
   * the request is sent: use `signed`. Rejects with CredentialsFailed. Absent: `request` made them.
   */
  sign?(request: VendorRequest, call: SigningCall): Promise<Readonly<Record<string, string>>>;
  /**
   * Returns the model's name in the first message of a session, where the session's address has none; absent: the name
   * itself.
   */
  modelInSession?(baseUrl: string, model: string): string;
  /** Converts the framing of a wire's streams, where the vendor uses another than the wire's own. */
  reframing?(wire: UpstreamWire): Reframing | undefined;
  /** Describes what an address lacks, in words that follow `baseUrl`. Undefined: nothing. */
  addressProblem?(baseUrl: string): string | undefined;
  /** Describes why a text is no key, without repeating it; replaces the general check of header characters. */
  keyProblem?(key: string): string | undefined;
  /**
   * Makes the request that starts a video task, in steps of a millisecond, for pictures of megabytes are written into it;
   * absent where the vendor has no video tasks. Throws Failure unsupported_parameter (remixing a video).
   */
  start?(call: StartCall): Generator<undefined, VendorRequest>;
  /** Its base URL may have a query, which its addresses keep. */
  readonly baseUrlQuery?: true;
  /** Returns the stored id of a started video task, made from the vendor's id; absent: the vendor's id. */
  taskOf?(id: string, start: Pick<StartCall, "model" | "fromImage">): string;
  /** The wires whose finished videos it serves itself; for others a poll names the video's address. */
  readonly downloads?: readonly VideoWire[];
  /** The form of its keys, as a pattern and as text, if not every text is a key. */
  readonly keyForm?: { readonly pattern: RegExp; readonly words: string };
  /** Classifies an answer with an error status; `body` is its text, cut at a bound. */
  failureOf(status: number, body: string): VendorFailure;
}

/** Returns vendors by their names. Throws where two have the same name: neither may silently replace the other. */
export function byUniqueName(vendors: readonly Provider[]): Readonly<Record<string, Provider>> {
  const byName: Record<string, Provider> = {};
  for (const vendor of vendors) {
    if (vendor.name in byName) throw new Error(`two vendors are named ${vendor.name}`);
    byName[vendor.name] = vendor;
  }
  return byName;
}

/** A vendor's stream, made anew in the framing that its wire has elsewhere. */
export interface Reframing {
  /** The media type that the vendor's stream has. */
  readonly from: string;
  /** The one that it gets. */
  readonly to: string;
  /** Opens one stream. */
  open(): Reframer;
}

interface Reframer {
  /** The frames that are whole now, in the other framing. Throws RangeError for a stream that is damaged. */
  push(chunk: Buffer): Buffer;
}
