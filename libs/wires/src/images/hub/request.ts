import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { invalidFailure, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { parseChecked, type AdditionalMembers } from "../../kind/index.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import type { Parsed } from "../../wire.ts";

/** Clients' formats: the simple body, as JSON or as a form, and the qwen-style body. */
export type ImagesDialect = "images" | "qwen-images";

export const maxInputImages = 16;
export const maxImages = 10;
export const maxPromptCharacters = 32_000;

export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export type ImageType = (typeof imageTypes)[number];

export interface ImageFile {
  readonly mediaType: ImageType;
  readonly bytes: Buffer;
}

/** An image in the client's request; `at` is its field, spelled as in that request. */
export type InputImage =
  | { readonly kind: "url"; readonly at: string; readonly url: string }
  | ({ readonly kind: "file"; readonly at: string } & ImageFile)
  /** Large Base64, decoded later in steps (`decodeImages`), before anything is sent. */
  | { readonly kind: "encoded"; readonly at: string; readonly data: string };

/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** A request for images in the neutral form. Absent: not given by the client. */
export interface ImageRequest {
  readonly dialect: ImagesDialect;
  readonly model: string;
  readonly prompt: string;
  /** Images to edit; empty if the image is made from the prompt alone. */
  readonly images: readonly InputImage[];
  readonly mask?: InputImage | undefined;
  readonly count?: number | undefined;
  /** Size; also absent if the client lets the model choose it (`auto`). */
  readonly size?: ImageSize | undefined;
  readonly quality?: string | undefined;
  readonly style?: string | undefined;
  readonly background?: "transparent" | "opaque" | "auto" | undefined;
  readonly moderation?: string | undefined;
  readonly inputFidelity?: string | undefined;
  readonly outputFormat?: "png" | "jpeg" | "webp" | undefined;
  /** Compression level from 0 to 100. */
  readonly outputCompression?: number | undefined;
  readonly negativePrompt?: string | undefined;
  readonly promptExtend?: boolean | undefined;
  readonly watermark?: boolean | undefined;
  readonly seed?: number | undefined;
  readonly user?: string | undefined;
  /** Form of the images in the client's answer; absent: as the vendor returns them. */
  readonly responseFormat?: "url" | "b64_json" | undefined;
  readonly stream: boolean;
  readonly partialImages?: number | undefined;
  readonly own?: AdditionalMembers<ImagesDialect> | undefined;
}

/** Fields that a vendor's wire may lack. */
export const imageFields = [
  "mask",
  "count",
  "size",
  "quality",
  "style",
  "background",
  "moderation",
  "inputFidelity",
  "outputFormat",
  "outputCompression",
  "negativePrompt",
  "promptExtend",
  "watermark",
  "seed",
  "partialImages",
  "user",
] as const satisfies readonly (keyof ImageRequest)[];
export type ImageField = (typeof imageFields)[number];

/** Members that determine what a call is allowed to do and what it costs, in either dialect. */
export const inspectedMembers = ["model", "n", "size", "input", "parameters"];

const requestSchema = Compile(bodies.ImageRequest);
/** Fields of an image request; null members count as absent, as in the parser. */
const nullableSchema = {
  Check: (body: unknown) => requestSchema.Check(withoutNulls(body)),
  Errors: (body: unknown) => requestSchema.Errors(withoutNulls(body)),
};

function withoutNulls(body: unknown): unknown {
  return isRecord(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) : body;
}

export function readImages(body: unknown, parse: (body: JsonRecord) => Parsed<ImageRequest>): Parsed<ImageRequest> {
  return parseChecked(body, nullableSchema, parse);
}

/** Maximum side of an image that any model makes, in pixels. */
const maxSidePixels = 16_384;

/** Parses a size, `1024x1536` or `1024*1536`; undefined if absent or `auto`. Throws Failure (400) that names `path`. */
export function parseSize(text: string | undefined, path: string): ImageSize | undefined {
  if (text === undefined || text === "auto") return undefined;
  const [, width = 0, height = 0] = /^(\d{1,5})[x*](\d{1,5})$/i.exec(text)?.map(Number) ?? [];
  if (width < 1 || height < 1 || width > maxSidePixels || height > maxSidePixels)
    throw invalidFailure(
      path,
      `${path} must be <width>x<height> with sides from 1 to ${maxSidePixels} pixels, or auto.`,
    );
  return { width, height };
}

export function nearestRatio<Ratio extends string>(
  { width, height }: ImageSize,
  ratios: readonly Ratio[],
): Ratio | undefined {
  const targetRatio = Math.log(width / height);
  const far = (ratio: string): number => {
    const [w = 1, h = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(w / h) - targetRatio);
  };
  return ratios.toSorted((left, right) => far(left) - far(right))[0];
}

/** Returns the optional fields that a vendor's wire lacks; refuses those whose loss changes the meaning. */
export function unsupportedFieldNames(
  request: ImageRequest,
  { has, dialect }: { readonly has: readonly ImageField[]; readonly dialect?: ImagesDialect },
): readonly string[] {
  const unsupported = imageFields.filter((field) => !has.includes(field) && isSet(request, field));
  // Dropping these would change the image.
  const refused = unsupported.find((field) => field === "mask" || field === "count");
  if (refused !== undefined) throw unsupportedFailure(refused);
  const { own } = request;
  if (own === undefined || own.wire === dialect) return unsupported;
  const prefix = own.wire === "qwen-images" ? "parameters." : "";
  return [...unsupported, ...Object.keys(own.members).map((name) => prefix + name)];
}

function isSet(request: ImageRequest, field: ImageField): boolean {
  const value = request[field];
  if (field === "count") return (request.count ?? 1) > 1;
  return value !== undefined && value !== "auto" && value !== false;
}
