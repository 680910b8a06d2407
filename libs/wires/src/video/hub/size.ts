import { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord, own } from "../../json/fields.ts";
import { objectIn, type VideoSize } from "./request.ts";

/** Parses `<width>x<height>`, or with an asterisk. Throws Failure invalid_value naming `param`. */
export function parseSize(text: string, param: string): VideoSize {
  const [, width, height] = /^([1-9]\d{1,4})[x*]([1-9]\d{1,4})$/.exec(text) ?? [];
  if (width === undefined || height === undefined)
    throw new Failure("invalid_value", `${param} must be <width>x<height>, as in 1280x720.`, { param });
  return { width: Number(width), height: Number(height) };
}

export function writeSize({ width, height }: VideoSize): string {
  return `${width}x${height}`;
}

/** The shape in a request. */
export interface VideoShape {
  readonly size?: VideoSize | undefined;
  readonly aspectRatio?: string | undefined;
}

/** A vendor's names of resolutions, by the pixels of the shorter side. */
export type Tiers = Readonly<Record<number, string>>;

/** A shape as a vendor makes it, and the members of the request that want another. */
export interface FittedShape {
  readonly ratio?: string | undefined;
  readonly tier?: string | undefined;
  readonly dropped: readonly ("size" | "aspectRatio")[];
}

/**
 * Fits a shape to a vendor's ratios, and its resolutions if it takes any. A shape that the vendor does not make is dropped by
 * name, and the vendor chooses: a size is never rounded to another shape.
 */
export function fitShape({ size, aspectRatio }: VideoShape, ratios: readonly string[], tiers?: Tiers): FittedShape {
  const ratio = aspectRatio ?? (size === undefined ? undefined : ratioOf(size));
  if (ratio !== undefined && !ratios.includes(ratio)) return { dropped: [size === undefined ? "aspectRatio" : "size"] };
  if (tiers === undefined || size === undefined) return { ratio, dropped: [] };
  const tier = tierOf(tiers, { size });
  return { ratio, tier, dropped: tier === undefined ? ["size"] : [] };
}

/** Returns the resolution of a size, where the vendor makes it. */
export function tierOf(tiers: Tiers, { size }: VideoShape): string | undefined {
  return size === undefined ? undefined : tiers[Math.min(size.width, size.height)];
}

function ratioOf({ width, height }: VideoSize): string {
  const divisor = greatestDivisor(width, height);
  return `${width / divisor}:${height / divisor}`;
}

function greatestDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestDivisor(right, left % right);
}

/** Vendors' words for a resolution without pixels; "std" and "pro" are kling's modes. */
const words: Readonly<Record<string, number>> = { std: 720, pro: 1080, "1k": 1024, "2k": 1440, "4k": 2160, "8k": 4320 };
/** Members that may be about something else: other words in them are ignored. */
const maybe = ["mode", "quality", "ratio", "aspect_ratio"];
/** More lines than any resolution has. */
const beyondAll = 100_000;
/** Sides below this are those of a shape, such as 16:9. */
const minSide = 100;

/**
 * Reads the resolution in a request to a vendor, in pixels of the shorter side; undefined where that is left to the
 * vendor. The price depends on it, so of several words the largest counts, and an unknown one is beyond all.
 */
export function linesIn(body: JsonRecord): number | undefined {
  const { metadata } = body;
  const records = [body, typeof metadata === "string" ? objectIn(metadata) : metadata].filter(isRecord);
  const found = records.flatMap((record) => [
    ...["size", "resolution"].map((name) => linesOf(record[name], beyondAll)),
    ...maybe.map((name) => linesOf(record[name], undefined)),
    linesOfSides(record["width"], record["height"]),
  ]);
  const known = found.filter((lines) => lines !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Reads `1280x720`, `1280*720`, `1280:720`, `720p`, 720 or a word; `otherwise` for anything else. */
function linesOf(value: unknown, otherwise: number | undefined): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "number") return value >= minSide ? value : otherwise;
  const text = typeof value === "string" ? value.trim().toLowerCase() : "";
  const [, width, height] = /^(\d{1,5})\s*[x*:×]\s*(\d{1,5})$/.exec(text) ?? [];
  if (width !== undefined && height !== undefined) return linesOfSides(Number(width), Number(height));
  const [, lines] = /^(\d{3,5})p?$/.exec(text) ?? [];
  if (lines !== undefined) return Number(lines);
  return own(words, text) ?? otherwise;
}

/** Returns the shorter side; where a shape is longer than 16:9, that of as many pixels in 16:9. */
function linesOfSides(width: unknown, height: unknown): number | undefined {
  if (typeof width !== "number" || typeof height !== "number") return undefined;
  const shorter = Math.min(width, height);
  if (shorter < minSide) return undefined;
  return Math.max(shorter, Math.floor(Math.sqrt((width * height * 9) / 16)));
}
