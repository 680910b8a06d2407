import type { VideoWire } from "@modelgate/contracts";

/** A request to a vendor, complete: only to be sent. */
export interface VendorRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

/** Who is asked, with which key, and when: some vendors sign the time. */
export interface VideoCall {
  /** Exactly what that vendor's own SDK takes as base URL. */
  readonly baseUrl: string;
  readonly key: string;
  readonly wire: VideoWire;
  readonly nowMs: number;
}

/** A task to be started. */
export interface VideoStart extends VideoCall {
  /** The vendor's name of the model. */
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** A picture that travels as a file of a form. */
  readonly file?: FormFile | undefined;
  readonly fromImage: boolean;
  /** The operation whose video is to be made anew with another prompt. */
  readonly remixOf?: string | undefined;
}

/** A file of a form; `data` is Base64. */
export interface FormFile {
  readonly name: string;
  readonly mediaType: string;
  readonly data: string;
}

/** A started task, in words that its provider wrote itself. */
export interface VideoLook extends VideoCall {
  readonly operation: string;
}

export interface VideoContent extends VideoLook {
  readonly variant: string;
}

/** How a vendor's video tasks are reached; never sends. */
export interface VideoAccess {
  /** Throws Failure unsupported_parameter for a remix where the vendor has none. */
  start(call: VideoStart): VendorRequest;
  /** What is kept of a task that was started, by the vendor's name of it: opaque to everybody else. */
  operationOf(id: string, start: Pick<VideoStart, "model" | "fromImage">): string;
  look(call: VideoLook): VendorRequest;
  /** Where the vendor's own content endpoint is; undefined where a look told the video's address. */
  content(call: VideoContent): VendorRequest | undefined;
}
