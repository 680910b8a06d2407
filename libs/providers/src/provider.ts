import type { FailureCode, UpstreamWire, VideoWire } from "@modelgate/contracts";
import type { ChatDialect } from "@modelgate/wires/text";
import type { SigningCall, StartCall, VendorCall } from "./call.ts";
import type { VendorRequest } from "./request.ts";

/** A vendor's refusal, understood. */
export interface VendorFailure {
  readonly code: FailureCode;
  /** What the client may see: the vendor's words without addresses and keys. Absent: our own words. */
  readonly say?: string | undefined;
  readonly vendorCode?: string | undefined;
  readonly param?: string | undefined;
  /** Whether another channel or key may do better. */
  readonly retryable: boolean;
  /**
   * What is to blame, for cooling it down: the client's input, one key (only where the vendor says so of the key itself),
   * the whole channel, or a model or an endpoint that the vendor does not have.
   */
  readonly blame: "request" | "key" | "channel" | "model" | "wire";
  /** The endpoint refuses for its own sake what another endpoint of the vendor takes. */
  readonly isEndpoints?: true;
  /** What the vendor refuses is a seal of thoughts: one that it did not make, or made for another account. */
  readonly aboutSeals?: true;
  /** It is about what admits a call, which no client has a part in: a signature, a clock, a session that is over. */
  readonly isCertain?: true;
  /** When the vendor wants to be asked again, where it says so in the body. */
  readonly retryAfterMs?: number | undefined;
}

/** A vendor: what to send where, and what its errors mean. It never sends. */
export interface Provider {
  readonly name: string;
  /** What it is called; absent: as it is named. */
  readonly title?: string | undefined;
  /** Where it is for a channel that does not say; `${NAME}` stands for what only its customer knows. */
  readonly baseUrl?: string | undefined;
  /** The variable that holds its key for a channel that names none. */
  readonly keyVariable?: string | undefined;
  /** The key of a channel that names none, where it stands for a chain of sources. */
  readonly usualKey?: string | undefined;
  /** It is run by its operator: it asks for no key unless it is set up to, and costs nothing by the token. */
  readonly isLocal?: true | undefined;
  /** Its name in the bundled catalogue of prices. */
  readonly pricesAs?: string | undefined;
  /** Where it lists its models, under the base URL; absent: nowhere. */
  readonly modelsAt?: string | undefined;
  /** Where it departs from the chat wire. */
  readonly dialect?: ChatDialect | undefined;
  /** What it usually speaks, best first. A channel can say otherwise, and an endpoint that is missing is found out. */
  readonly wires: readonly UpstreamWire[];
  /** What it speaks at one base URL, for one of its models, best first, where that differs. Undefined: `wires`. */
  wiresAt?(baseUrl: string, model: string): readonly UpstreamWire[] | undefined;
  /** What a channel may say that it speaks beside: there is an address for it, and some of its family have it. */
  readonly moreWires?: readonly UpstreamWire[];
  /**
   * Makes the whole request for a call, signed where the vendor wants that. Throws Failure: unsupported_parameter for
   * what the vendor does not have, upstream_error for a task of a vendor without tasks.
   */
  request(call: VendorCall): VendorRequest;
  /**
   * Makes the headers that admit a request where they are fetched, or computed over all of it. It is asked last, just before
   * the request is sent: use `signed`. Rejects with CredentialsFailed. Absent: `request` made them.
   */
  sign?(request: VendorRequest, call: SigningCall): Promise<Readonly<Record<string, string>>>;
  /** How the first message of a session names a model, where its address does not; absent: by its own name. */
  modelInSession?(baseUrl: string, model: string): string;
  /** How the streams of a wire come to be in that wire's own framing, where the vendor sends them in another. */
  reframing?(wire: UpstreamWire): Reframing | undefined;
  /** What an address lacks that its requests need, in words that follow `baseUrl`. Undefined: nothing. */
  addressProblem?(baseUrl: string): string | undefined;
  /** Why a text is no key of it, in words that do not repeat it; in place of what every header can carry. */
  keyProblem?(key: string): string | undefined;
  /**
   * Makes the request that starts a video task, in steps of a millisecond, for pictures of megabytes are written into it;
   * absent where the vendor has no video tasks. Throws Failure unsupported_parameter (remixing a video).
   */
  start?(call: StartCall): Generator<undefined, VendorRequest>;
  /** Its base URL may have a query, which its addresses keep. */
  readonly baseUrlQuery?: true;
  /** What is kept of a video task that was started, by the vendor's id of it; absent: the id. */
  taskOf?(id: string, start: Pick<StartCall, "model" | "fromImage">): string;
  /** The wires whose finished videos it serves itself; for others a poll names the video's address. */
  readonly downloads?: readonly VideoWire[];
  /** The form of its keys, as a pattern and in words, where not every text is one. */
  readonly keyForm?: { readonly pattern: RegExp; readonly words: string };
  /** What an answer with an error status means; `body` is its text, cut at a bound. */
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
