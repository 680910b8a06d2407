import type { JsonRecord } from "../../json/fields.ts";
import { stringifyInTurns } from "../../json/stringify-in-turns.ts";
import type { ImagesAnswer } from "./answer.ts";
import type { ImagesWire } from "@modelgate/contracts";
import type { ImageRequest } from "./request.ts";

/** A request as it is sent to a vendor. */
export interface RenderedImages {
  /** Written in steps of about a millisecond. */
  readonly body: Generator<undefined, Buffer>;
  readonly contentType: string;
  /** Hints left out: fields of the neutral form, or the client's own members. */
  readonly dropped: readonly string[];
}

/** A vendor's answer that names a task to be polled, before there is an image. */
export interface ImagesTask {
  readonly task: string;
}

/** A vendor's wire of images. Pure and synchronous; no wire knows another. */
export interface ImagesVendorCodec {
  readonly wire: ImagesWire;
  /** Whether images must be brought as bytes; else addresses will do. */
  readonly needsBytes: boolean;
  /** Whether it begins a task, which is paid for once: it must not be asked twice. */
  readonly begins: "image" | "task";
  /** Whether it sends partial images in a stream. */
  readonly streams: boolean;
  /** Throws Failure unsupported_parameter, its `param` in the neutral form's word, for what may not be lost. */
  renderRequest(request: ImageRequest, target: { readonly model: string }): RenderedImages;
  /**
   * Throws Failure upstream_error for what is no answer, upstream_rejected (400) where the vendor would not make the
   * image, and what a task failed of.
   */
  parseAnswer(body: JsonRecord): ImagesAnswer | ImagesTask;
}

/** A JSON request. */
export function renderJson(body: JsonRecord, dropped: readonly string[]): RenderedImages {
  return { body: stringifyInTurns(body), contentType: "application/json", dropped };
}
