import type { VideoWire } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { OwnMembers } from "../../kind/own-members.ts";
import type { VideoImage } from "./image.ts";
import type { VideoSize } from "./size.ts";

/** Longest video that can be asked for, in seconds: the price is known from it before anything is sent. */
export const mostSeconds = 600;
/** Shortest: of less, vendors that read whole seconds make none of their own, but their usual length. */
export const leastSeconds = 1;

/** A request for a video in the neutral form. Absent means that the client did not say. */
export interface VideoRequest {
  readonly model: string;
  readonly prompt?: string | undefined;
  readonly negativePrompt?: string | undefined;
  readonly firstFrame?: VideoImage | undefined;
  readonly lastFrame?: VideoImage | undefined;
  /** From `leastSeconds` to `mostSeconds`. */
  readonly seconds?: number | undefined;
  readonly size?: VideoSize | undefined;
  /** `<w>:<h>`, where the client said a shape and no size. */
  readonly aspectRatio?: string | undefined;
  /** Frames per second. */
  readonly fps?: number | undefined;
  readonly seed?: number | undefined;
  /** Parameters for whichever vendor knows them, in that vendor's words; none of them is priced. */
  readonly extras?: JsonRecord | undefined;
  /** Members in the words of one wire. */
  readonly own?: OwnMembers<VideoWire> | undefined;
}
