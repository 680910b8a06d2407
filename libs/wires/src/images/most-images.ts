import { isRecord, type JsonRecord } from "../json/fields.ts";
import type { ImageRequest } from "./hub/request.ts";

/** Names under which some vendor reads how many images are wanted; they travel on as a client's own members. */
const countNames: ReadonlySet<string> = new Set([
  "n",
  "num",
  "count",
  "num_images",
  "num_outputs",
  "number_of_images",
  "numberOfImages",
  "sampleCount",
  "batch_size",
  "samples",
  "max_images",
  "image_count",
]);
/** How deep they may stand: in `parameters`, or in `sequential_image_generation_options` of an `extra_body`. */
const deepest = 3;

/** The most images that any vendor may make of a request: it is held for all of them. */
export function mostImagesOf({ count = 1, own }: Pick<ImageRequest, "count" | "own">): number {
  return own === undefined ? count : Math.max(count, largestIn(own.members, deepest));
}

function largestIn(members: JsonRecord, depth: number): number {
  const counts = Object.entries(members).map(([name, value]) => {
    if (isRecord(value)) return depth > 1 ? largestIn(value, depth - 1) : 0;
    return countNames.has(name) ? wholeIn(value) : 0;
  });
  return Math.max(0, ...counts);
}

/** A number, or one written as text, as forms have it. */
function wholeIn(value: unknown): number {
  const number = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number > 0 ? Math.ceil(number) : 0;
}
