import { Failure } from "@modelgate/contracts";
import { readDataUrl, writeDataUrl } from "../../text/hub/sources.ts";

/** A frame of the video that the client gives: its address, its bytes as Base64, or a file that a vendor keeps. */
export type VideoImage =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "data"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "file"; readonly fileId: string };

/** Types of pictures by the first characters of their Base64. */
const beginnings: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["UklGR", "image/webp"],
  ["R0lGOD", "image/gif"],
];
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Parses an image: an address, a data URL or bare Base64. Throws Failure invalid_value naming `param`. */
export function parseImage(text: string, param: string): VideoImage {
  if (/^https?:\/\//i.test(text)) return { kind: "url", url: text };
  const read = text.startsWith("data:") ? readDataUrl(text) : undefined;
  const data = read?.data ?? text;
  if (data === "" || (text.startsWith("data:") && read === undefined) || !base64.test(data))
    throw new Failure("invalid_value", `${param} must be an http(s) address, a data URL or Base64.`, { param });
  return { kind: "data", mediaType: mediaTypeOf(data) ?? read?.mediaType ?? "image/png", data };
}

function mediaTypeOf(data: string): string | undefined {
  return beginnings.find(([beginning]) => data.startsWith(beginning))?.[1];
}

/** Renders an image as an address: its own, or a data URL. Throws Failure unsupported_parameter for a vendor's file. */
export function addressOfImage(image: VideoImage, param: string): string {
  return image.kind === "url" ? image.url : writeDataUrl(dataOf(image, param));
}

/** Returns an image's bytes as Base64 with their type. Throws Failure unsupported_parameter for what is only an address or a file. */
export function dataOf(image: VideoImage, param: string): { readonly mediaType: string; readonly data: string } {
  if (image.kind === "data") return image;
  throw new Failure("unsupported_parameter", `${param} cannot be a ${image.kind} for the vendor of this model.`, {
    param,
  });
}
