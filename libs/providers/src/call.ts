import type { Readable } from "node:stream";
import type { UpstreamWire, VideoWire } from "@modelgate/contracts";

/** A call to a vendor, from which `Provider.request` builds a request. */
export type VendorCall = AnswerCall | SessionCall | PollCall | DownloadCall | FileCall;

interface AnyCall {
  /** Base URL, in the form that the vendor's SDK accepts. */
  readonly baseUrl: string;
  readonly key: string;
  /** Current time in Unix ms, for signatures that contain the time. */
  readonly nowMs: number;
  /** The gateway's id of the client's request. It appears in the vendor's logs. */
  readonly requestId?: string | undefined;
  /** Headers that are added to the usual ones or replace them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Members of a call that are needed to sign it. */
export type SigningCall = Pick<AnyCall, "baseUrl" | "key" | "nowMs">;

/** A call whose answer comes in the same HTTP exchange, complete or as a stream. */
export interface AnswerCall extends AnyCall {
  readonly act: "answer";
  readonly wire: UpstreamWire;
  /** Vendor's name of the model. */
  readonly model: string;
  readonly stream: boolean;
  /** JSON, unless `headers` names another content type. */
  readonly body: Buffer | Readable;
  /** Query parameters of the client that are sent to the vendor. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** A call that opens a session over a WebSocket. */
export interface SessionCall extends AnyCall {
  readonly act: "session";
  readonly wire: UpstreamWire;
  readonly model: string;
}

/** A call that starts a video task. */
export interface StartCall extends AnyCall {
  readonly act: "start";
  readonly wire: VideoWire;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Image that is sent as a file of a form. */
  readonly file?: Base64File | undefined;
  readonly fromImage: boolean;
  /** Id of the task whose video is remixed. */
  readonly remixOf?: string | undefined;
}

/** A file of a form, in Base64. */
export interface Base64File {
  readonly name: string;
  readonly mediaType: string;
  readonly data: string;
}

/** A poll of a task's state. */
export interface PollCall extends AnyCall {
  readonly act: "poll";
  readonly wire: UpstreamWire;
  /** Id of the task, from `Provider.taskOf` or from the vendor. */
  readonly task: string;
}

/** A request about an answer that the vendor is generating in the background. */
export interface RunCall extends AnyCall {
  /** `follow` requests the events after `lastEvent`. `cancel` ends the answer. */
  readonly act: "follow" | "cancel";
  readonly wire: UpstreamWire;
  readonly task: string;
  readonly lastEvent?: string | undefined;
}

/** A download of a finished video that has no URL, from the vendor's API. */
export interface DownloadCall extends AnyCall {
  readonly act: "download";
  readonly wire: VideoWire;
  readonly task: string;
  readonly variant: string;
}

/** A download of a file on the vendor's host, which may require the key. */
export interface FileCall extends AnyCall {
  readonly act: "file";
  readonly wire: UpstreamWire;
  readonly url: URL;
}
