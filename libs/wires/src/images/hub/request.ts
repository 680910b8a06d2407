import { bodies, validatorOf } from "@modelgate/contracts";
import { invalidFailure, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { modelMembersOf, parseChecked, type AdditionalMembers } from "../../kind/index.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import type { Parsed } from "../../wire.ts";

/** Formats of clients' requests. */
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

/** An image in the client's request. `at` is the name of its field. */
export type InputImage =
  | { readonly kind: "url"; readonly at: string; readonly url: string }
  | ({ readonly kind: "file"; readonly at: string } & ImageFile)
  /** Large Base64, which `decodeImages` decodes later. */
  | { readonly kind: "encoded"; readonly at: string; readonly data: string };

/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** A request for images in the neutral form. */
export interface ImageRequest {
  readonly dialect: ImagesDialect;
  readonly model: string;
  readonly prompt: string;
  readonly images: readonly InputImage[];
  readonly mask?: InputImage | undefined;
  readonly count?: number | undefined;
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
  readonly responseFormat?: "url" | "b64_json" | undefined;
  readonly stream: boolean;
  readonly partialImages?: number | undefined;
  readonly additional?: AdditionalMembers<ImagesDialect> | undefined;
}

/** Optional fields, which a vendor's wire may lack. */
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

/** Members that determine what a call may do and what it costs. */
export const inspectedMembers = ["model", "n", "size", "input", "parameters"];

const requestSchema = validatorOf(bodies.ImageRequest);
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

const maxSidePixels = 16_384;

/** Parses a size, such as `1024x1536` or `1024*1536`. Throws Failure (400). */
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

/**
 * Returns the square of a size that leaves the aspect ratio to the model, such as Seedream's `2K`; undefined for any
 * other size.
 */
export function sizeOfClass(size: unknown): ImageSize | undefined {
  const [, thousands] = typeof size === "string" ? (/^([1-4])k$/i.exec(size) ?? []) : [];
  const side = Number(thousands) * 1_024;
  return thousands === undefined ? undefined : { width: side, height: side };
}

export function nearestRatio<Ratio extends string>(
  { width, height }: ImageSize,
  ratios: readonly Ratio[],
): Ratio | undefined {
  const targetRatio = Math.log(width / height);
  const distanceTo = (ratio: string): number => {
    const [w = 1, h = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(w / h) - targetRatio);
  };
  return ratios.toSorted((left, right) => distanceTo(left) - distanceTo(right))[0];
}

/**
 * Returns the optional fields that the request sets and the vendor's wire lacks. Throws Failure if one is `mask` or
 * `count`.
 */
export function unsupportedFieldNames(
  request: ImageRequest,
  { has, dialect }: { readonly has: readonly ImageField[]; readonly dialect?: ImagesDialect },
): readonly string[] {
  const unsupported = imageFields.filter((field) => !has.includes(field) && isSet(request, field));
  // Without the mask or the count, the vendor would make other images.
  const refused = unsupported.find((field) => field === "mask" || field === "count");
  if (refused !== undefined) throw unsupportedFailure(refused);
  const { additional } = request;
  if (additional === undefined) return unsupported;
  if (additional.wire === dialect) return [...unsupported, ...modelMembersOf(additional.members)];
  const prefix = additional.wire === "qwen-images" ? "parameters." : "";
  return [...unsupported, ...Object.keys(additional.members).map((name) => prefix + name)];
}

function isSet(request: ImageRequest, field: ImageField): boolean {
  const value = request[field];
  if (field === "count") return (request.count ?? 1) > 1;
  return value !== undefined && value !== "auto" && value !== false;
}
