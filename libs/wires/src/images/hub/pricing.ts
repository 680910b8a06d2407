import { isRecord, memberOf, type JsonRecord } from "@modelgate/formats/json";
import { countTextBytes, type InputSize } from "../../kind/index.ts";
import { sizeOfClass, type ImageRequest } from "./request.ts";

const tokensPerInputImage = 7_000;

export function measureInput({ prompt, negativePrompt, images, mask }: ImageRequest): InputSize {
  return {
    textBytes: countTextBytes([prompt, negativePrompt ?? ""]),
    mediaTokens: (images.length + (mask === undefined ? 0 : 1)) * tokensPerInputImage,
    maxOutputTokens: undefined,
  };
}

/** Members that some vendor reads as the number of images. */
const countMemberNames: ReadonlySet<string> = new Set(
  (
    "n num count num_images num_outputs number_of_images numberOfImages " +
    "sampleCount batch_size samples max_images image_count"
  ).split(" "),
);
/** Maximum depth of the search: the members may be in `parameters` or `extra_body`. */
const maxSearchDepth = 3;

/** Maximum number of images that Seedream makes for a sequence if the request sets none. */
const maxSequenceImages = 15;

/** Returns the maximum number of images that a vendor may create for a request. */
export function maxImagesOf({ count = 1, additional }: Pick<ImageRequest, "count" | "additional">): number {
  if (additional === undefined) return count;
  const { members } = additional;
  const { sequential_image_generation: sequence, sequential_image_generation_options: options } = members;
  const maxSequence = sequence === "auto" ? parseCount(memberOf(options, "max_images")) || maxSequenceImages : 0;
  return Math.max(count, maxSequence, largestCount(members, maxSearchDepth));
}

/** Returns the number of images that a vendor creates for certain. A sequence may have fewer than its maximum. */
export function minImagesOf(request: Pick<ImageRequest, "count" | "additional">): number {
  const names = Object.keys(request.additional?.members ?? {});
  const isSequence = names.some((name) => name.startsWith("sequential_image_generation"));
  return isSequence ? (request.count ?? 1) : maxImagesOf(request);
}

function largestCount(members: JsonRecord, depth: number): number {
  const counts = Object.entries(members).map(([name, value]) => {
    if (isRecord(value)) return depth > 1 ? largestCount(value, depth - 1) : 0;
    return countMemberNames.has(name) ? parseCount(value) : 0;
  });
  return Math.max(0, ...counts);
}

function parseCount(value: unknown): number {
  const number = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number > 0 ? Math.ceil(number) : 0;
}

const standardQualities: ReadonlySet<unknown> = new Set(["low", "medium", "standard", "auto", "", null, undefined]);
/** Maximum number of pixels at the usual price. Vendors charge more for 2K and 4K. */
const maxStandardPixels = 2 * 1024 * 1024;

interface PricedMembers {
  readonly quality?: unknown;
  readonly size?: unknown;
}

export function memberAboveStandardPrice(request: PricedMembers): keyof PricedMembers | undefined {
  const { quality, size } = request;
  if (!standardQualities.has(quality)) return "quality";
  if (typeof size !== "string") return undefined;
  const [, columns = 0, rows = 0] = /^(\d+)[x*](\d+)$/i.exec(size)?.map(Number) ?? [];
  const { width, height } = sizeOfClass(size) ?? { width: columns, height: rows };
  return width * height > maxStandardPixels ? "size" : undefined;
}
