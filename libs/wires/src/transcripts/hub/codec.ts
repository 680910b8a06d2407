import type { Units } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { Frame } from "../../sse/framing.ts";
import type { Transcript, TranscriptEvent } from "./answer.ts";
import type { TranscriptsWire } from "@modelgate/contracts";
import type { FormEntry, TranscriptsRequest } from "./request.ts";

/** One wire of transcripts, both directions. Pure and synchronous; the file's bytes are no concern of it. */
export interface TranscriptsCodec {
  /** Client → hub. Throws Failure (400) naming the field that is wrong. */
  parseForm(wire: TranscriptsWire, entries: readonly FormEntry[]): TranscriptsRequest;
  /**
   * Hub → upstream: the fields beside the file, without the model. A vendor is only ever asked for JSON: other formats
   * are made from it. Throws Failure unsupported_parameter where its model has no times to make them from.
   */
  renderForm(request: TranscriptsRequest, target: { readonly model: string }): readonly FormEntry[];
  /** Upstream → hub. Throws Failure upstream_error for what is no transcript. */
  parseAnswer(body: JsonRecord): Transcript;
  /** What the vendor says that it used: tokens, or the seconds that it heard; undefined where it says neither. */
  readUsage(body: JsonRecord): Units | undefined;
  /** Reads a frame of the vendor's stream. Throws Failure upstream_error if it cannot be read. */
  readEvent(frame: Frame): TranscriptEvent;
  /** A whole answer as the stream that the client asked for. */
  writeEvents(body: JsonRecord): string;
}
