import { sizeOfClass, type ImageRequest } from "@modelgate/wires/images";

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
const usualSize = { width: 1_024, height: 1_024 };
const usualPixels = usualSize.width * usualSize.height;

/** Tokens of Gemini's image models: of the largest size, and of the usual one. Other vendors without OpenAI's wire count none. */
export const geminiImageTokens: ImageTokens = { held: 2_520, estimated: 1_120 };

/** Returns the most output tokens that known vendors with OpenAI's wire count for an image, and the fewest. */
export function tokensPerImage(request: ImageRequest): ImageTokens {
  const { quality = "auto", size, additional, partialImages = 0 } = request;
  const { width, height } = size ?? sizeOfClass(additional?.members["size"]) ?? usualSize;
  const long = sideTokens.get(quality) ?? maxSideTokens;
  const short = Math.round((long * Math.min(width, height)) / Math.max(width, height));
  const pixels = width * height;
  const formula =
    Math.ceil((long * short * (2_000_000 + Math.min(maxFormulaPixels, pixels))) / 4_000_000) +
    partialImages * partialImageTokens;
  const published = Math.ceil((publishedTokens.get(quality) ?? formula) * Math.max(1, pixels / usualPixels));
  return {
    held: Math.max(formula, Math.ceil(pixels / seedreamTokenPixels)),
    estimated: Math.min(formula, published),
  };
}
