import type { VideoStyle, VideoWire } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { Parsed } from "../../wire.ts";
import type { VideoRequest } from "./request.ts";
import type { Sighting } from "./sighting.ts";
import type { TaskContext, VideoTask } from "./task.ts";

/** A request in a vendor's wire. */
export interface RenderedVideo {
  readonly body: JsonRecord;
  /** A picture that is sent as a file beside the body, where the wire has forms. */
  readonly file?: { readonly name: string; readonly mediaType: string; readonly data: string } | undefined;
  /** Hints left out: fields of the neutral form, or members of another wire in its own spelling. */
  readonly dropped: readonly string[];
  /** The length that was asked for, always said to the vendor: the price hangs on it. */
  readonly seconds: number;
  /** The resolution that the vendor is asked for, as `linesIn` reads it: the price hangs on it as well. */
  readonly lines: number | undefined;
}

/** A wire of video tasks as its vendors speak it. */
export interface VendorVideoCodec {
  readonly wire: VideoWire;
  /** The length where the client said none, in seconds. */
  readonly defaultSeconds: number;
  /**
   * Hub → vendor, under the vendor's own name of the model. Throws Failure unsupported_parameter, its `param` in the
   * neutral form's word, for what changes the video and cannot be said.
   */
  renderRequest(request: VideoRequest, target: { readonly model: string }): RenderedVideo;
  /** The vendor's name of the task. Throws Failure upstream_error, or upstream_rejected where the body is a refusal. */
  parseStarted(body: JsonRecord): string;
  /** What the vendor's answer to a look says. Never throws: what cannot be read is `unseen`. */
  parseSighting(body: JsonRecord): Sighting;
  /** The vendor takes the bytes of a picture, and does not fetch it from an address. */
  readonly takesBytesOnly?: true;
  /** The member in which an answer to a look may hold the finished video itself, in Base64. */
  readonly filmIn?: string;
}

/** A wire that is a client's style too: what clients send, and what is sent to its vendors. */
export interface VideoCodec extends VendorVideoCodec {
  readonly wire: VideoStyle;
  /** Client → hub. Throws Failure (400) naming the field that is wrong. */
  parseRequest(body: JsonRecord): Parsed<VideoRequest>;
  /** The answer to a task that was just created. */
  renderCreated(task: VideoTask, context: TaskContext): JsonRecord;
  /** A task's state. */
  renderTask(task: VideoTask, context: TaskContext): JsonRecord;
  /** How this wire spells a field of the neutral form. */
  readonly spelling: Readonly<Partial<Record<keyof VideoRequest, string>>>;
}
