import type { FailureCode, UpstreamWire, VideoWire } from "@modelgate/contracts";
import type { ChatDialect } from "@modelgate/wires/text";
import type { RunCall, SigningCall, StartCall, VendorCall } from "./call.ts";
import type { VendorRequest } from "./request.ts";

/** Classification of a vendor's error. */
export interface VendorFailure {
  readonly code: FailureCode;
  /** Message for the client: the vendor's, without addresses and keys; absent: the gateway's default message. */
  readonly message?: string | undefined;
  readonly vendorCode?: string | undefined;
  readonly param?: string | undefined;
  /** True if another channel or key may succeed. */
  readonly retryable: boolean;
  /**
   * Cause of the failure: the client's input ("request"), one key (only if the error concerns that key), the complete
   * channel, or a model or wire that the vendor does not have. A key, channel or model may be put into a cooldown.
   */
  readonly blame: "request" | "key" | "channel" | "model" | "wire";
  /** True if the endpoint refused something that another endpoint of the vendor accepts. */
  readonly isAboutEndpoint?: true;
  /**
   * True if the vendor refused a thinking signature or encrypted reasoning that it did not create, or that it created
   * for another account.
   */
  readonly isAboutReasoningData?: true;
  /**
   * True if the client cannot have caused the failure, for example a wrong signature, a wrong clock, or a session that
   * has ended.
   */
  readonly isNeverClientFault?: true;
  /** Time in ms that the vendor asks to wait before the next request, if the body contains one. */
  readonly retryAfterMs?: number | undefined;
}

/** A vendor: builds requests and classifies errors. It sends nothing itself. */
export interface Provider {
  readonly name: string;
  /** Display name; absent: `name`. */
  readonly title?: string | undefined;
  /** Default base URL of a channel. `${NAME}` is an environment variable, for a part that differs for each customer. */
  readonly baseUrl?: string | undefined;
  /** Environment variable of the key, for channels that configure no key. */
  readonly keyVariable?: string | undefined;
  /**
   * Key of channels that configure no key; it selects the vendor's chain of credential sources (`google`, `aws`).
   * Absent: `keyVariable` is read.
   */
  readonly defaultKey?: string | undefined;
  /** True if operators run the server themselves. By default it then needs no key, and its tokens are free. */
  readonly isLocal?: true | undefined;
  /** True if customers choose the names of models (deployments), so that the name may not identify the model. */
  readonly hasDeployments?: true | undefined;
  /** Vendor's name in the bundled price catalogue. */
  readonly pricesAs?: string | undefined;
  /** Path of the list of models, under the base URL; absent: the vendor has no list. */
  readonly modelsAt?: string | undefined;
  /** Differences of the vendor's chat wire from OpenAI's. */
  readonly dialect?: ChatDialect | undefined;
  /**
   * Default wires, the preferred ones first. A channel can name others. A missing endpoint is detected by the first
   * calls.
   */
  readonly wires: readonly UpstreamWire[];
  /** Returns the wires of a model at a base URL, the preferred ones first; undefined: `wires`. */
  wiresAt?(baseUrl: string, model: string): readonly UpstreamWire[] | undefined;
  /** Additional wires that a channel may name. Only some models support them. */
  readonly moreWires?: readonly UpstreamWire[];
  /**
   * Builds the complete request for a call, without authorization if `sign` is present. Throws Failure
   * unsupported_parameter for something that the vendor does not support, upstream_error for a task of a vendor without
   * tasks.
   */
  request(call: VendorCall): VendorRequest;
  /** Builds a request about an answer in the background. Absent: an answer ends with its connection. */
  run?(call: RunCall): VendorRequest;
  /**
   * Creates the authorization headers if they are fetched, or computed from the complete request. `signRequest` calls
   * it immediately before the request is sent. Rejects with CredentialsFailed. Absent: `request` creates these headers.
   */
  sign?(request: VendorRequest, call: SigningCall): Promise<Readonly<Record<string, string>>>;
  /**
   * Returns the model's name for the first message of a session. Needed if the address does not name the model; absent:
   * the name is sent unchanged.
   */
  modelInSession?(baseUrl: string, model: string): string;
  /** Returns the conversion of a stream if the vendor's framing differs from the wire's usual one. */
  reframing?(wire: UpstreamWire): Reframing | undefined;
  /** Describes an error in a base URL, as text that follows the word `baseUrl`; undefined if there is none. */
  addressProblem?(baseUrl: string): string | undefined;
  /**
   * Describes why a text is not a valid key, without quoting it. Replaces the general check for characters that a
   * header cannot contain.
   */
  keyProblem?(key: string): string | undefined;
  /**
   * Builds the request that starts a video task, in steps of a millisecond, because the body may contain megabytes of
   * image data. Throws Failure unsupported_parameter if the vendor cannot remix videos. Absent: the vendor has no video
   * tasks.
   */
  start?(call: StartCall): Generator<undefined, VendorRequest>;
  /** True if the base URL may have a query, which is kept in the addresses of requests. */
  readonly baseUrlQuery?: true;
  /**
   * Returns the id under which a started video task is stored, derived from the vendor's id; absent: the vendor's id.
   */
  taskOf?(id: string, start: Pick<StartCall, "model" | "fromImage">): string;
  /** Wires whose finished videos the vendor serves itself. For other wires a poll returns the video's URL. */
  readonly downloads?: readonly VideoWire[];
  /** Required form of the vendor's keys, as a pattern and as text; absent: any text. */
  readonly keyForm?: { readonly pattern: RegExp; readonly description: string };
  /** Classifies an answer with an error status. `body` is the text of the answer, shortened to a maximum length. */
  failureOf(status: number, body: string): VendorFailure;
}

/** Indexes vendors by name. Throws if two have the same name. */
export function byUniqueName(vendors: readonly Provider[]): Readonly<Record<string, Provider>> {
  const byName: Record<string, Provider> = {};
  for (const vendor of vendors) {
    if (vendor.name in byName) throw new Error(`two vendors are named ${vendor.name}`);
    byName[vendor.name] = vendor;
  }
  return byName;
}

/** Conversion of a vendor's stream to the framing that its wire usually has. */
export interface Reframing {
  /** Media type of the vendor's stream. */
  readonly from: string;
  /** Media type of the converted stream. */
  readonly to: string;
  /** Starts the conversion of one stream. */
  open(): Reframer;
}

interface Reframer {
  /** Adds a chunk, and returns the complete frames, converted. Throws RangeError for a damaged stream. */
  push(chunk: Buffer): Buffer;
}
