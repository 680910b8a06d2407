import { Failure } from "@modelgate/contracts";
import type { Fields, JsonRecord } from "../../json/fields.ts";
import type { VideoRequest } from "./request.ts";
import type { Rendered, Target, VendorSide } from "../../wire.ts";

/** A request in a vendor's wire. */
export interface RenderedVideo extends Rendered {
  /** A picture that is sent as a file in addition to the body, where the wire has forms. */
  readonly file?: { readonly name: string; readonly mediaType: string; readonly data: string } | undefined;
  /** Length in seconds, which every request to a vendor has: the price depends on it. */
  readonly seconds: number;
  /** Resolution of the request, as `linesIn` reads it: the price depends on it as well. */
  readonly lines: number | undefined;
}

/** The vendor side of a wire of video tasks. */
export interface VideoVendor extends VendorSide<VideoRequest, PollResult> {
  /** Length in seconds where the client gave none. */
  readonly defaultSeconds: number;
  render(request: VideoRequest, target: Target): RenderedVideo;
  /**
   * Reads the vendor's id of a new task. Throws Failure upstream_error, or upstream_rejected where the body is a refusal.
   */
  started(body: JsonRecord): string;
  /** Parses the answer to a poll. Never throws: what cannot be read is `unknown`. */
  parse(body: JsonRecord): PollResult;
  /** The vendor takes the bytes of a picture, and does not fetch it from an address. */
  readonly takesBytesOnly?: true;
  /** The member in which an answer to a poll may hold the finished video itself, in Base64. */
  readonly videoMember?: string;
}

/** Result of a poll of a vendor's task. */
export type PollResult =
  /** Nothing new: no answer, or an unknown word. */
  | { readonly kind: "unknown" }
  /** Under way; the vendor's progress in percent if it reports one. */
  | { readonly kind: "pending"; readonly state: "queued" | "in_progress"; readonly progress?: number | undefined }
  | { readonly kind: "finished"; readonly result: VideoResult }
  | { readonly kind: "failed"; readonly error: { readonly code: string; readonly message: string } }
  /** The vendor knows no such task. */
  | { readonly kind: "not-found" };

/** Location of a finished video. */
export interface VideoResult {
  /** Its address at the vendor; absent where the vendor's own content endpoint has it. */
  readonly url?: string | undefined;
  /** Time at which the vendor deletes it, Unix ms. */
  readonly expiresAt?: number | undefined;
  /** Milliseconds from now on in which the address works, where the vendor gives no date. */
  readonly keptMs?: number | undefined;
}

export const unknownResult: PollResult = { kind: "unknown" };

/** States by the vendor's words for them. */
export type StateWords = Readonly<Record<string, "queued" | "in_progress" | "completed" | "failed">>;

/** Reads the vendor's id of a new task. Throws Failure upstream_error where there is none. */
export function startedAs(fields: Fields, name: string): string {
  const value = fields.raw(name);
  const id = typeof value === "number" ? String(value) : value;
  if (typeof id === "string" && /^[\w.:-]{1,200}$/.test(id)) return id;
  throw new Failure("upstream_error", "The vendor's answer does not name a task.");
}

/** Reads a percentage as vendors write it: 30, or "30%". */
export function readProgress(value: unknown): number | undefined {
  const progress = typeof value === "string" ? Number(/^(\d{1,3})%?$/.exec(value)?.[1] ?? "") : value;
  return typeof progress === "number" && progress >= 0 && progress <= 100 && value !== "" ? progress : undefined;
}
