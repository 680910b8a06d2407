import { Failure } from "@modelgate/contracts";
import type { Parsed } from "../../wire.ts";
import { imageFile } from "../hub/image-bytes.ts";
import type { ImageRequest, InputImage } from "../hub/request.ts";
import { parseRequest } from "./parse-request.ts";

/** A form as it was read: text fields and files, in their order. */
export interface ImagesForm {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly { readonly name: string; readonly bytes: Buffer }[];
}

/** One image is `image`; several are `image[]` or `image[0]`, `image[1]` …; both are taken together too. */
const imageName = /^image(?:\[\d{0,3}\])?$/;

const numbers = new Set(["n", "output_compression", "partial_images", "seed"]);
const flags = new Set(["stream", "watermark", "prompt_extend"]);

/** The form of the simple body in the neutral form. Throws Failure (400) naming the field. */
export function parseForm({ fields, files }: ImagesForm): Parsed<ImageRequest> {
  const images: InputImage[] = [];
  let mask: InputImage | undefined;
  for (const { name, bytes } of files) {
    if (name !== "mask" && !imageName.test(name))
      throw new Failure("invalid_value", `${name} must be text, not a file.`, { param: name });
    const image: InputImage = { kind: "file", at: name, ...imageFile(bytes, name) };
    if (name !== "mask") images.push(image);
    else if (mask === undefined) mask = image;
    else throw twice(name);
  }
  return parseRequest(bodyOf(fields), { images, mask });
}

/** The text fields as the JSON body would hold them: numbers as numbers, addresses of images as a list. */
function bodyOf(fields: ImagesForm["fields"]): Readonly<Record<string, unknown>> {
  const body = new Map<string, unknown>();
  const urls: string[] = [];
  for (const [name, value] of fields) {
    if (imageName.test(name)) urls.push(value);
    else if (body.has(name)) throw twice(name);
    else body.set(name, typed(name, value));
  }
  if (urls.length > 0) body.set("image", urls);
  return Object.fromEntries(body);
}

function typed(name: string, value: string): unknown {
  // What is left empty was not filled in.
  if (value === "" && name !== "prompt") return undefined;
  if (numbers.has(name)) return /^-?\d{1,15}$/.test(value) ? Number(value) : wrong(name, "a whole number");
  if (flags.has(name)) return value === "true" || (value === "false" ? false : wrong(name, "true or false"));
  return value;
}

function wrong(name: string, kind: string): never {
  throw new Failure("invalid_value", `${name} must be ${kind}.`, { param: name });
}

function twice(name: string): Failure {
  return new Failure("invalid_value", `${name} appears more than once.`, { param: name });
}
