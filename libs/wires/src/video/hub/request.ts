import { Failure, type VideoWire } from "@modelgate/contracts";
import { unsupportedFailure } from "../../text/hub/field-support.ts";
import { type Fields, type JsonRecord, isRecord, parseRecord } from "../../json/fields.ts";
import { ownMembers, renderOwn, type OwnMembers } from "../../kind/index.ts";
import { imageTypeOfBase64 } from "../../images/hub/image-bytes.ts";
import { readDataUrl, writeDataUrl } from "../../text/hub/sources.ts";

/** Size of a video in pixels. */
export interface VideoSize {
  readonly width: number;
  readonly height: number;
}

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
  readonly fps?: number | undefined;
  readonly seed?: number | undefined;
  /** Parameters of any vendor, in that vendor's spelling; none of them is priced. */
  readonly extras?: JsonRecord | undefined;
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
  const message = `seconds: the vendor of this model makes ${lengths.join(" or ")} s only.`;
  throw new Failure("unsupported_parameter", message, { param: "seconds" });
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
  const message = `This endpoint does not take a length or a number of videos as ${param}.`;
  throw new Failure("invalid_value", message, { param });
}

/** Throws Failure unsupported_parameter for the first of these fields that the request has. */
export function refuseFields(request: VideoRequest, fields: readonly (keyof VideoRequest)[]): void {
  const found = fields.find((field) => request[field] !== undefined);
  if (found !== undefined) throw unsupportedFailure(found);
}

/** The one rate of frames of most vendors. */
export const framesPerSecond = 24;

/** Returns the names of those hints that the request has. */
export function hintsIn(request: VideoRequest, fields: readonly (keyof VideoRequest)[]): readonly string[] {
  return fields.filter((field) => request[field] !== undefined);
}

/** Returns `fps` where the request has another rate than `framesPerSecond`. */
export function otherRate({ fps = framesPerSecond }: VideoRequest): readonly string[] {
  return fps === framesPerSecond ? [] : ["fps"];
}

/** Throws Failure unsupported_parameter for a last frame without a first one. */
export function refuseLastFrameAlone({ firstFrame, lastFrame }: VideoRequest): void {
  if (lastFrame !== undefined && firstFrame === undefined)
    throw unsupportedFailure("lastFrame", "The vendor of this model takes lastFrame only with firstFrame.");
}

/** Names under which some vendor would read what the price was made from: only the top level may have them. */
const priced: ReadonlySet<string> = new Set(
  "model model_name req_key duration seconds frames n num size resolution width height fps".split(" "),
);

/** Names under which some vendor reads how long a video is or how many there are, without case and marks. */
const amountWords: ReadonlySet<string> = new Set(
  (
    "duration seconds length frames numframes nframes framecount framescount videolength videoduration videoseconds " +
    "durationseconds lengthseconds nseconds n num count numvideos nvideos videocount numoutputs numresults numsamples samplecount batchsize"
  ).split(" "),
);

/** Tells whether some vendor would read a length or a number of videos under this name. */
export function isAmountWord(name: string): boolean {
  return amountWords.has(name.toLowerCase().replaceAll(/[^a-z]/g, ""));
}

/** Reads a vendor's parameters in `metadata`. Throws Failure invalid_value for one with a member at the top level. */
export function readExtras(fields: Fields, name: string): JsonRecord | undefined {
  const extras = fields.record(name);
  refusePriced(extras, fields.at(name));
  return extras;
}

/** Throws Failure invalid_value where a `metadata` that travels as it is, an object or its JSON, has such a member. */
export function refusePriced(metadata: unknown, at: string): void {
  const extras = typeof metadata === "string" ? objectIn(metadata) : metadata;
  const wrong = isRecord(extras) ? Object.keys(extras).find((key) => priced.has(key) || isAmountWord(key)) : undefined;
  if (wrong === undefined) return;
  const param = `${at}.${wrong}`;
  throw new Failure("invalid_value", `${param} must be at the top level of the body.`, { param });
}

/** Longest text that is parsed as JSON: as long as a form's field may be. */
const longestText = 64 * 1024;

/** Parses the object in a form's field; undefined for any other text. Throws Failure request_too_large for a long one. */
export function objectIn(text: string): JsonRecord | undefined {
  if (text.length > longestText)
    throw new Failure("request_too_large", `metadata is longer than ${longestText} characters.`, { param: "metadata" });
  return parseRecord(text);
}

/**
 * Returns the additional members of a vendor's request: those of `metadata` that are in `known`, and the ones that a
 * client of the same wire sent. `dropped` names the others.
 */
export function moreMembers(
  { own, extras = {} }: VideoRequest,
  wire: VideoWire,
  known: readonly string[],
): { readonly members: JsonRecord; readonly dropped: readonly string[] } {
  const { members, dropped } = renderOwn(own, wire);
  const names = Object.keys(extras);
  const kept = Object.fromEntries(names.filter((name) => known.includes(name)).map((name) => [name, extras[name]]));
  const lost = names.filter((name) => !known.includes(name)).map((name) => `extras.${name}`);
  return { members: { ...kept, ...members }, dropped: [...dropped, ...lost] };
}

/** A frame of the video that the client gives: its address, its bytes as Base64, or a file that a vendor keeps. */
export type VideoImage =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "data"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "file"; readonly fileId: string };

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Parses an image: an address, a data URL or bare Base64. Throws Failure invalid_value naming `param`. */
export function parseImage(text: string, param: string): VideoImage {
  if (/^https?:\/\//i.test(text)) return { kind: "url", url: text };
  const read = text.startsWith("data:") ? readDataUrl(text) : undefined;
  const data = read?.data ?? text;
  if (data === "" || (text.startsWith("data:") && read === undefined) || !base64.test(data))
    throw new Failure("invalid_value", `${param} must be an http(s) address, a data URL or Base64.`, { param });
  return { kind: "data", mediaType: imageTypeOfBase64(data) ?? read?.mediaType ?? "image/png", data };
}

/** Renders an image as an address: its own, or a data URL. Throws Failure unsupported_parameter for a vendor's file. */
export function addressOfImage(image: VideoImage | undefined, param: string): string | undefined {
  if (image === undefined) return undefined;
  return image.kind === "url" ? image.url : writeDataUrl(dataOf(image, param));
}

/** Returns an image's bytes as Base64 with their type. Throws Failure unsupported_parameter for an address or a file. */
export function dataOf(image: VideoImage, param: string): { readonly mediaType: string; readonly data: string } {
  if (image.kind === "data") return image;
  const message = `${param} cannot be a ${image.kind} for the vendor of this model.`;
  throw new Failure("unsupported_parameter", message, { param });
}
