import { Failure, type VideoWire } from "@modelgate/contracts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import {
  invalidFailure,
  type Fields,
  type JsonRecord,
  isRecord,
  includesMatch,
  parseRecord,
} from "@modelgate/formats/json";
import { additionalMembers, renderAdditionalMembers, type AdditionalMembers } from "../../kind/index.ts";
import { imageTypeOfBase64 } from "../../images/hub/image-bytes.ts";
import { readDataUrl, writeDataUrl } from "../../text/hub/sources.ts";

export interface VideoSize {
  readonly width: number;
  readonly height: number;
}

/** Maximum length of a video in seconds. */
export const maxSeconds = 600;
/** Minimum length in seconds. For a shorter length, some vendors would use their default. */
export const minSeconds = 1;

export interface VideoRequest {
  readonly model: string;
  readonly prompt?: string | undefined;
  readonly negativePrompt?: string | undefined;
  readonly firstFrame?: VideoImage | undefined;
  readonly lastFrame?: VideoImage | undefined;
  readonly seconds?: number | undefined;
  readonly size?: VideoSize | undefined;
  /** Ratio `<w>:<h>`. */
  readonly aspectRatio?: string | undefined;
  readonly fps?: number | undefined;
  readonly seed?: number | undefined;
  /** Parameters of the vendor, from the client's `metadata`. None of them changes the number, length or size of the videos. */
  readonly extras?: JsonRecord | undefined;
  readonly additional?: AdditionalMembers<VideoWire> | undefined;
}

/** Reads a length in seconds. Throws Failure invalid_value. */
export function readSeconds(fields: Fields, name: string): number | undefined {
  const value = fields.raw(name);
  if (value === undefined) return undefined;
  const seconds = typeof value === "string" && /^\d{1,4}(\.\d{1,3})?$/.test(value) ? Number(value) : value;
  if (typeof seconds === "number" && seconds >= minSeconds && seconds <= maxSeconds) return seconds;
  throw fields.wrong(name, `a number of seconds, from ${minSeconds} to ${maxSeconds}`);
}

/** Returns the length if the vendor supports it. Throws Failure unsupported_parameter. */
export function secondsAmong(lengths: readonly number[], seconds: number): number {
  if (lengths.includes(seconds)) return seconds;
  throw unsupportedFailure("seconds", `seconds: the vendor of this model supports only ${lengths.join(" or ")} s.`);
}

/** Returns the length if it is whole and within the limits. Throws Failure unsupported_parameter. */
export function secondsWithin([min, max]: readonly [number, number], seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= min && seconds <= max) return seconds;
  const message = `seconds: the vendor of this model supports only whole seconds from ${min} to ${max}.`;
  throw unsupportedFailure("seconds", message);
}

/** Collects the members of a body that have not been read. Throws the Failures of `refusePriced`. */
export function unreadVideoMembers(wire: VideoWire, fields: Fields): AdditionalMembers<VideoWire> | undefined {
  const additional = additionalMembers(wire, fields);
  refusePriced(additional?.members ?? {});
  return additional;
}

export function refuseFields(request: VideoRequest, fields: readonly (keyof VideoRequest)[]): void {
  const unsupportedField = fields.find((field) => request[field] !== undefined);
  if (unsupportedField !== undefined) throw unsupportedFailure(unsupportedField);
}

/** Frame rate of most vendors. */
export const framesPerSecond = 24;

export function namesOfSetFields(request: VideoRequest, fields: readonly (keyof VideoRequest)[]): readonly string[] {
  return fields.filter((field) => request[field] !== undefined);
}

export function droppedRate({ fps = framesPerSecond }: VideoRequest): readonly string[] {
  return fps === framesPerSecond ? [] : ["fps"];
}

export function refuseLastFrameAlone({ firstFrame, lastFrame }: VideoRequest): void {
  if (lastFrame !== undefined && firstFrame === undefined)
    throw unsupportedFailure("lastFrame", "The vendor of this model accepts lastFrame only with firstFrame.");
}

/** Members that some vendor reads as the length or number of videos, as returned by `foldName`. */
const amountNames: ReadonlySet<string> = new Set(
  (
    "duration seconds length frames numframes nframes framecount framescount videolength videoduration videoseconds " +
    "durationseconds lengthseconds nseconds n num count numvideos nvideos videocount numoutputs numresults numsamples samplecount batchsize"
  ).split(" "),
);
/** Members that affect the price in `metadata`. At the top level, `linesIn` reads the others. */
const extraNames: ReadonlySet<string> = new Set([
  ...amountNames,
  ..."model modelname reqkey size resolution width height fps".split(" "),
]);

/** Returns a name in lower case without other characters. Many vendors ignore the case of names. */
export function foldName(name: string): string {
  // Upper case first, because it folds the long s.
  const lower = name.toUpperCase().toLowerCase();
  return lower.replaceAll(/[^a-z]/g, "");
}

/** Depth to which a vendor may read members that affect the price. Some merge `metadata` into their own request. */
const maxSearchDepth = 3;
/** Maximum number of members that are searched. */
const maxSearchedMembers = 1_000;

/** Reads the vendor's parameters in `metadata`. Throws the Failures of `refusePriced`. */
export function readExtras(fields: Fields, name: string): JsonRecord | undefined {
  const extras = fields.record(name);
  if (extras !== undefined) refusePriced({ [name]: extras });
  return extras;
}

/** Throws Failure invalid_value for a member that affects the price and that the gateway does not read there. */
function refusePriced(members: JsonRecord): void {
  const priced = membersWithin(members).find(({ name, isExtra }) => (isExtra ? extraNames : amountNames).has(name));
  if (priced === undefined) return;
  const { param } = priced;
  throw invalidFailure(param, `This endpoint does not accept ${param}, because it may change the price.`);
}

/**
 * Lists the members of an object and of the objects in it, with names as returned by `foldName`. `isExtra` is true in
 * `metadata`. Throws Failure if there are too many.
 */
export function membersWithin(root: JsonRecord) {
  const found: { param: string; name: string; value: unknown; isExtra: boolean }[] = [];
  const open = [{ record: root, path: "", isExtra: false, depth: 0 }];
  for (const { record, path, isExtra, depth } of open)
    for (const [key, value] of Object.entries(record)) {
      const [name, param] = [foldName(key), path + key];
      if (found.push({ param, name, value, isExtra }) > maxSearchedMembers)
        throw invalidFailure(path.slice(0, -1), `The body has more than ${maxSearchedMembers} members.`);
      const isMetadata = name === "metadata";
      const nested = isMetadata ? metadataIn(value, param, depth) : value;
      if (depth < maxSearchDepth && isRecord(nested))
        open.push({ record: nested, path: `${param}.`, isExtra: isExtra || isMetadata, depth: depth + 1 });
    }
  return found;
}

/** Maximum length of a text that is parsed as JSON. */
const maxTextCharacters = 64 * 1024;

/** Parses `metadata`: an object, or its JSON in a form. Throws Failure for a text that only some vendors can parse. */
function metadataIn(value: unknown, param: string, depth: number): JsonRecord {
  const isText = typeof value === "string";
  if (isText && value.length > maxTextCharacters)
    throw new Failure("request_too_large", `${param} is longer than ${maxTextCharacters} characters.`, { param });
  if (value === null || value === "") return {};
  const extras = isText ? parseRecord(value) : value;
  if (isRecord(extras)) return extras;
  // A nested member may have another meaning, unless a lenient parser may read it as an object.
  if (depth > 0 && !(isText && value.trimStart().startsWith("{"))) return {};
  throw invalidFailure(param, `${param} must be a JSON object.`);
}

/** Returns the `supported` members of `metadata`, and the additional members of a client of the same wire. */
export function additionalVideoMembers(
  { additional, extras = {} }: VideoRequest,
  wire: VideoWire,
  supported: readonly string[],
): { readonly members: JsonRecord; readonly dropped: readonly string[] } {
  const { members, dropped } = renderAdditionalMembers(additional, wire);
  const names = Object.keys(extras);
  const supportedExtras = Object.fromEntries(
    names.filter((name) => supported.includes(name)).map((name) => [name, extras[name]]),
  );
  const unsupportedExtras = names.filter((name) => !supported.includes(name)).map((name) => `extras.${name}`);
  return { members: { ...supportedExtras, ...members }, dropped: [...dropped, ...unsupportedExtras] };
}

export type VideoImage =
  | { readonly kind: "url"; readonly url: string }
  | {
      readonly kind: "data";
      readonly mediaType: string;
      readonly data: string;
      readonly at?: string;
    }
  | { readonly kind: "file"; readonly fileId: string };

/** Matches media types of images. Vendors get them in a header. */
const imageMediaType = /^(?:image\/[\w.+-]{1,100}|application\/octet-stream)$/i;
const notBase64 = /[^A-Za-z0-9+/_-]/;

/** Parses an image. `checkImages` checks its characters later. Throws Failure invalid_value. */
export function parseImage(text: string, param: string): VideoImage {
  if (/^https?:\/\//i.test(text)) return { kind: "url", url: text };
  const dataUrl = text.startsWith("data:") ? readDataUrl(text) : undefined;
  const data = dataUrl?.data ?? text;
  if (data === "" || (text.startsWith("data:") && dataUrl === undefined)) throw wrongImage(param);
  const mediaType = imageTypeOfBase64(data) ?? dataUrl?.mediaType ?? "image/png";
  if (!imageMediaType.test(mediaType)) throw wrongImage(param);
  return { kind: "data", mediaType, data, at: param };
}

/** Checks that images are Base64, in short steps. Throws Failure invalid_value. */
export function* checkImages({ firstFrame, lastFrame }: VideoRequest): Generator<undefined, void> {
  for (const image of [firstFrame, lastFrame]) {
    if (image?.kind !== "data" || image.at === undefined) continue;
    const { data, at } = image;
    const end = data.length - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);
    if (end === 0 || (yield* includesMatch(data, notBase64, end))) throw wrongImage(at);
  }
}

function wrongImage(param: string): Failure {
  return invalidFailure(param, `${param} must be an http(s) address, or an image as a data URL or Base64.`);
}

/** Renders an image as its address or a data URL. Throws Failure unsupported_parameter for a vendor's file. */
export function addressOfImage(image: VideoImage | undefined, param: string): string | undefined {
  if (image === undefined) return undefined;
  return image.kind === "url" ? image.url : writeDataUrl(dataOf(image, param));
}

/** Returns an image's bytes as Base64. Throws Failure unsupported_parameter for an address or a file. */
export function dataOf(image: VideoImage, param: string): { readonly mediaType: string; readonly data: string } {
  if (image.kind === "data") return image;
  throw unsupportedFailure(param, `${param} cannot be a ${image.kind} for the vendor of this model.`);
}
