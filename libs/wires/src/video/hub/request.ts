import { Failure, type VideoWire } from "@modelgate/contracts";
import type { Fields, JsonRecord } from "../../json/fields.ts";
import { ownMembers, type OwnMembers } from "../../kind/own-members.ts";
import { isAmountWord } from "./extras.ts";
import type { VideoImage } from "./image.ts";
import type { VideoSize } from "./size.ts";

/** Maximum length of a video in seconds: the price is known from it before anything is sent. */
export const maxSeconds = 600;
/** Minimum: of less, vendors that read whole seconds make their usual length. */
export const minSeconds = 1;

/** A request for a video in the neutral form. Absent: not given by the client. */
export interface VideoRequest {
  readonly model: string;
  readonly prompt?: string | undefined;
  readonly negativePrompt?: string | undefined;
  readonly firstFrame?: VideoImage | undefined;
  readonly lastFrame?: VideoImage | undefined;
  /** From `minSeconds` to `maxSeconds`. */
  readonly seconds?: number | undefined;
  readonly size?: VideoSize | undefined;
  /** `<w>:<h>`, where the client gave a shape and no size. */
  readonly aspectRatio?: string | undefined;
  /** Frames per second. */
  readonly fps?: number | undefined;
  readonly seed?: number | undefined;
  /** Parameters of any vendor, in that vendor's spelling; none of them is priced. */
  readonly extras?: JsonRecord | undefined;
  /** Members of one wire. */
  readonly own?: OwnMembers<VideoWire> | undefined;
}

/** Reads a length: a number, or a number as text. Throws Failure invalid_value. */
export function readSeconds(fields: Fields, name: string): number | undefined {
  const value = fields.raw(name);
  if (value === undefined) return undefined;
  const seconds = typeof value === "string" && /^\d{1,4}(\.\d{1,3})?$/.test(value) ? Number(value) : value;
  if (typeof seconds === "number" && seconds >= minSeconds && seconds <= maxSeconds) return seconds;
  throw fields.wrong(name, `a number of seconds, from ${minSeconds} to ${maxSeconds}`);
}

/** Checks that a length is one of those that a vendor makes. Throws Failure unsupported_parameter with them. */
export function secondsAmong(lengths: readonly number[], seconds: number): number {
  if (lengths.includes(seconds)) return seconds;
  throw new Failure(
    "unsupported_parameter",
    `seconds: the vendor of this model makes ${lengths.join(" or ")} s only.`,
    {
      param: "seconds",
    },
  );
}

/** Checks that a length is a whole number that a vendor makes. Throws Failure unsupported_parameter with the bounds. */
export function secondsWithin([min, max]: readonly [number, number], seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= min && seconds <= max) return seconds;
  const message = `seconds: the vendor of this model makes whole seconds from ${min} to ${max} only.`;
  throw new Failure("unsupported_parameter", message, { param: "seconds" });
}

/**
 * Collects the members of a body that were not read, for a vendor of the same wire. Throws Failure invalid_value for one under
 * which some vendor would read a length or a number of videos: the price is made from the members that were read.
 */
export function ownVideoMembers(wire: VideoWire, fields: Fields): OwnMembers<VideoWire> | undefined {
  const own = ownMembers(wire, fields);
  const wrong = Object.keys(own?.members ?? {}).find(isAmountWord);
  if (wrong === undefined) return own;
  const param = fields.at(wrong);
  throw new Failure("invalid_value", `This endpoint does not take a length or a number of videos as ${param}.`, {
    param,
  });
}

/** Throws Failure unsupported_parameter for the first of these fields that the request has. */
export function refuseFields(request: VideoRequest, fields: readonly (keyof VideoRequest)[]): void {
  const found = fields.find((field) => request[field] !== undefined);
  if (found === undefined) return;
  throw new Failure("unsupported_parameter", `${found} cannot be passed to the vendor of this model.`, {
    param: found,
  });
}

/** Returns the names of those hints that the request has. */
export function hintsIn(request: VideoRequest, fields: readonly (keyof VideoRequest)[]): readonly string[] {
  return fields.filter((field) => request[field] !== undefined);
}

/** Throws Failure unsupported_parameter for a last frame without a first one. */
export function refuseLastFrameAlone({ firstFrame, lastFrame }: VideoRequest): void {
  if (lastFrame === undefined || firstFrame !== undefined) return;
  throw new Failure("unsupported_parameter", "The vendor of this model takes lastFrame only with firstFrame.", {
    param: "lastFrame",
  });
}
