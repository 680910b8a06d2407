import type { FailureCode, UpstreamWire, VideoWire } from "@modelgate/contracts";
import type { ChatDialect } from "@modelgate/wires/text";
import type { RunCall, SigningCall, StartCall, VendorCall } from "./call.ts";
import type { VendorRequest } from "./request.ts";

/** Classification of a vendor's error. */
export interface VendorFailure {
  readonly code: FailureCode;
  /** Message for the client, without addresses and keys. The default is the gateway's message. */
  readonly message?: string | undefined;
  readonly vendorCode?: string | undefined;
  readonly param?: string | undefined;
  /** Value of `error.details.error_code` of Anthropic's format. */
  readonly detailCode?: string | undefined;
  /** True if another channel or key may succeed. */
  readonly retryable: boolean;
  /** Cause of the failure. If it is a key, channel or model, it may be put into a cooldown. */
  readonly blame: "request" | "key" | "channel" | "model" | "wire";
  /** True if another endpoint of the vendor accepts the request. */
  readonly isAboutEndpoint?: true;
  /** True if the vendor refused a signature or encrypted reasoning that it did not create for this account. */
  readonly isAboutReasoningData?: true;
  /** True if the client cannot have caused the failure, such as a wrong signature. */
  readonly isNeverClientFault?: true;
  /** Time in ms that the vendor asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

/** Description of a vendor. It builds requests and classifies errors. */
export interface Provider {
  readonly name: string;
  /** Display name. The default is `name`. */
  readonly title?: string | undefined;
  /** Default base URL of a channel. `${NAME}` is an environment variable that differs for each customer. */
  readonly baseUrl?: string | undefined;
  /** Environment variable of the key, for channels that configure no key. */
  readonly keyVariable?: string | undefined;
  /** Key of channels that configure no key: it selects the vendor's default credentials (`google`, `aws`). */
  readonly defaultKey?: string | undefined;
  /** True if operators run the server themselves. A channel to it needs no key by default, and its tokens are free. */
  readonly isLocal?: true | undefined;
  /** True if customers choose the names of models (deployments). */
  readonly hasDeployments?: true | undefined;
  /** True for Anthropic, which accepts more requests of its wire than other vendors do. */
  readonly isAnthropic?: true | undefined;
  /** Vendor's name in the bundled price catalogue. */
  readonly pricesAs?: string | undefined;
  /** Path of the list of models; undefined if the vendor has no list. */
  readonly modelsAt?: string | undefined;
  /** Differences of the vendor's chat wire from OpenAI's. */
  readonly dialect?: ChatDialect | undefined;
  /** Default wires, the preferred ones first. A channel can name others. */
  readonly wires: readonly UpstreamWire[];
  /** Returns the wires of a model, the preferred ones first. The default is `wires`. */
  wiresAt?(baseUrl: string, model: string): readonly UpstreamWire[] | undefined;
  /** Additional wires that only some models support. */
  readonly moreWires?: readonly UpstreamWire[];
  /** Builds the request for a call. Throws Failure for calls that the vendor does not support. */
  request(call: VendorCall): VendorRequest;
  /** Builds a request about an answer in the background. */
  run?(call: RunCall): VendorRequest;
  /** Creates the authorization headers, if they need asynchronous work. Rejects with CredentialsFailed. */
  sign?(request: VendorRequest, call: SigningCall): Promise<Readonly<Record<string, string>>>;
  /** Returns the model's name for the first message of a session, if the address does not contain it. */
  modelInSession?(baseUrl: string, model: string): string;
  /** Returns the conversion of a stream whose framing differs from the wire's usual one. */
  reframing?(wire: UpstreamWire): Reframing | undefined;
  /** Describes an error in a base URL, as text that follows the word `baseUrl`. */
  addressProblem?(baseUrl: string): string | undefined;
  /** Describes why a text is not a valid key, without quoting it. */
  keyProblem?(key: string): string | undefined;
  /** Builds the request that starts a video task, in short steps. Throws Failure unsupported_parameter. */
  start?(call: StartCall): Generator<undefined, VendorRequest>;
  /** True if the base URL may have a query. */
  readonly baseUrlQuery?: true;
  /** Returns the id under which a started video task is stored. The default is the vendor's id. */
  taskOf?(id: string, start: Pick<StartCall, "model" | "fromImage">): string;
  /** Wires whose finished videos may have no URL. Such a video is requested from the vendor's API (`DownloadCall`). */
  readonly downloads?: readonly VideoWire[];
  readonly keyForm?: { readonly pattern: RegExp; readonly description: string };
  /** Classifies an answer with an error status. `body` is the beginning of the answer. */
  failureOf(status: number, body: string): VendorFailure;
}

/** Indexes vendors by name. Throws Error for a duplicate. */
export function byUniqueName(vendors: readonly Provider[]): Readonly<Record<string, Provider>> {
  const byName: Record<string, Provider> = {};
  for (const vendor of vendors) {
    if (vendor.name in byName) throw new Error(`two vendors are named ${vendor.name}`);
    byName[vendor.name] = vendor;
  }
  return byName;
}

/** Conversion of a vendor's stream to the wire's usual framing. */
export interface Reframing {
  /** Media type of the vendor's stream. */
  readonly from: string;
  /** Media type of the converted stream. */
  readonly to: string;
  open(): Reframer;
}

interface Reframer {
  /** Adds a chunk. Returns the frames that are complete, converted. Throws RangeError for a damaged stream. */
  push(chunk: Buffer): Buffer;
}
