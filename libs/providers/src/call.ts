import type { Readable } from "node:stream";
import type { UpstreamWire, VideoWire } from "@modelgate/contracts";

/** A request to a vendor, before it is rendered. Tasks are started by calls of another type (`StartCall`). */
export type VendorCall = AnswerCall | SessionCall | PollCall | DownloadCall | FileCall;

/** The address and key of a call, and its time: some vendors sign the time. */
interface AnyCall {
  /** The base URL, in the form that the vendor's own SDK takes. */
  readonly baseUrl: string;
  readonly key: string;
  /** Unix ms. */
  readonly nowMs: number;
  /** The gateway's id of the client's request, for the vendor's logs. */
  readonly requestId?: string | undefined;
  /** Headers in addition to the usual ones, or in their place. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The key that signs a request, and the time. */
export type SigningCall = Pick<AnyCall, "baseUrl" | "key" | "nowMs">;

/** A call that is answered at once: whole or as a stream. */
export interface AnswerCall extends AnyCall {
  readonly act: "answer";
  readonly wire: UpstreamWire;
  /** The vendor's name of the model. */
  readonly model: string;
  readonly stream: boolean;
  /** JSON, unless `headers` names another content type. */
  readonly body: Buffer | Readable;
  /** Query parameters of the client that go on to the vendor. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** A session over a WebSocket. */
export interface SessionCall extends AnyCall {
  readonly act: "session";
  readonly wire: UpstreamWire;
  readonly model: string;
}

/** A video task to be started. */
export interface StartCall extends AnyCall {
  readonly act: "start";
  readonly wire: VideoWire;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** A picture that travels as a file of a form. */
  readonly file?: FormFile | undefined;
  readonly fromImage: boolean;
  /** The task whose video is to be made anew with another prompt. */
  readonly remixOf?: string | undefined;
}

/** A file of a form; `data` is Base64. */
export interface FormFile {
  readonly name: string;
  readonly mediaType: string;
  readonly data: string;
}

/** A poll of a started task. */
export interface PollCall extends AnyCall {
  readonly act: "poll";
  readonly wire: UpstreamWire;
  /** As `Provider.taskOf` or an answer named it. */
  readonly task: string;
}

/** A finished video, of a vendor that serves it itself (`Provider.downloads`). */
export interface DownloadCall extends AnyCall {
  readonly act: "download";
  readonly wire: VideoWire;
  readonly task: string;
  readonly variant: string;
}

/** A file on the vendor's own host, which may be behind the key. */
export interface FileCall extends AnyCall {
  readonly act: "file";
  readonly wire: UpstreamWire;
  readonly url: URL;
}
