import type { ImageRequest } from "@modelgate/wires/images";

/** Output tokens of one image. */
export interface ImageTokens {
  /** Tokens that the hold covers. */
  readonly held: number;
  /** Tokens that a client pays for an image without reported usage. */
  readonly estimated: number;
}

/** Tokens along the longer side of an image by quality, in OpenAI's formula for `gpt-image-2`. */
const sideTokens: ReadonlyMap<string, number> = new Map([
  ["low", 16],
  ["medium", 48],
]);
const maxSideTokens = 96;
/** Pixels of the largest image that OpenAI's models create. */
const maxFormulaPixels = 8_294_400;
const partialImageTokens = 100;
/** Pixels of a token of Seedream, whose quality does not count. */
const seedreamTokenPixels = 256;

/** Tokens of `gpt-image-1` for an image of 1024 × 1024, as OpenAI publishes them. `auto` is its best quality. */
const publishedTokens: ReadonlyMap<string, number> = new Map([
  ["low", 272],
  ["medium", 1_056],
  ["high", 4_160],
  ["auto", 4_160],
]);
const classPixels = 1_024;

/** Returns the most output tokens that known vendors count for an image, and the fewest. */
export function tokensPerImage(request: ImageRequest): ImageTokens {
  const { quality = "auto", partialImages = 0 } = request;
  const { width, height } = sizeOf(request);
  const long = sideTokens.get(quality) ?? maxSideTokens;
  const short = Math.round((long * Math.min(width, height)) / Math.max(width, height));
  const pixels = width * height;
  const formula =
    Math.ceil((long * short * (2_000_000 + Math.min(maxFormulaPixels, pixels))) / 4_000_000) +
    partialImages * partialImageTokens;
  const published = Math.ceil((publishedTokens.get(quality) ?? formula) * Math.max(1, pixels / classPixels ** 2));
  return {
    held: Math.max(formula, Math.ceil(pixels / seedreamTokenPixels)),
    estimated: Math.min(formula, published),
  };
}

/** Returns the size of an image. A size class such as `2K` is a square; without any size, it is `1K`. */
function sizeOf({ size, additional }: ImageRequest): NonNullable<ImageRequest["size"]> {
  if (size !== undefined) return size;
  const name = additional?.members["size"];
  const side = (typeof name === "string" ? Number(/^([1-4])k$/i.exec(name)?.[1] ?? 1) : 1) * classPixels;
  return { width: side, height: side };
}
