import type { Readable } from "node:stream";
import type { UpstreamWire, VideoWire } from "@modelgate/contracts";

/** A request to a vendor, before it is rendered. `StartCall` is the type of a call that starts a task. */
export type VendorCall = AnswerCall | SessionCall | PollCall | DownloadCall | FileCall;

/** Address, key and time of a call; some vendors sign the time. */
interface AnyCall {
  /** Base URL, in the form that the vendor's SDK takes. */
  readonly baseUrl: string;
  readonly key: string;
  /** Unix ms. */
  readonly nowMs: number;
  /** The gateway's id of the client's request, for the vendor's logs. */
  readonly requestId?: string | undefined;
  /** Headers that are added to the usual ones or replace them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The parts of a call that signing needs: address, key and time. */
export type SigningCall = Pick<AnyCall, "baseUrl" | "key" | "nowMs">;

/** A call whose answer comes in the same exchange, complete or as a stream. */
export interface AnswerCall extends AnyCall {
  readonly act: "answer";
  readonly wire: UpstreamWire;
  /** Vendor's name of the model. */
  readonly model: string;
  readonly stream: boolean;
  /** JSON, unless `headers` names another content type. */
  readonly body: Buffer | Readable;
  /** Query parameters of the client that are forwarded to the vendor. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** A session over a WebSocket. */
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
  readonly file?: FormFile | undefined;
  readonly fromImage: boolean;
  /** Task whose video is to be remade with another prompt. */
  readonly remixOf?: string | undefined;
}

/** A file of a form; `data` is Base64. */
export interface FormFile {
  readonly name: string;
  readonly mediaType: string;
  readonly data: string;
}

/** A poll of a started task's state. */
export interface PollCall extends AnyCall {
  readonly act: "poll";
  readonly wire: UpstreamWire;
  /** Task id, as returned by `Provider.taskOf` or by the vendor. */
  readonly task: string;
}

/** A download of a finished video from a vendor that serves it itself (`Provider.downloads`). */
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
