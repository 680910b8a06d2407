import { Failure } from "@modelgate/contracts";
import { type JsonRecord, ownEntry } from "@modelgate/formats/json";
import { membersWithin, type VideoSize } from "./request.ts";

/** Parses `<width>x<height>` or `<width>*<height>`. Throws Failure invalid_value. */
export function parseSize(text: string, param: string): VideoSize {
  const [, width, height] = /^([1-9]\d{1,4})[x*]([1-9]\d{1,4})$/.exec(text) ?? [];
  if (width === undefined || height === undefined)
    throw new Failure("invalid_value", `${param} must be <width>x<height>, as in 1280x720.`, { param });
  return { width: Number(width), height: Number(height) };
}

export function writeSize({ width, height }: VideoSize): string {
  return `${width}x${height}`;
}

export interface VideoShape {
  readonly size?: VideoSize | undefined;
  readonly aspectRatio?: string | undefined;
}

/** Vendor's names of resolutions, by the number of pixels of the shorter side. */
export type ResolutionNames = Readonly<Record<number, string>>;

export interface FittedShape {
  readonly ratio?: string | undefined;
  readonly resolution?: string | undefined;
  readonly dropped: readonly ("size" | "aspectRatio")[];
}

/** Converts a shape to a vendor's ratio and resolution. Drops what the vendor does not support. */
export function fitShape(
  { size, aspectRatio }: VideoShape,
  ratios: readonly string[],
  resolutionNames: ResolutionNames,
): FittedShape {
  const ratioOfSize = size === undefined ? undefined : ratioOf(size);
  const ratio = [aspectRatio, ratioOfSize].find((each) => each !== undefined && ratios.includes(each));
  const resolution = ratio === undefined ? undefined : resolutionNameOf(resolutionNames, { size });
  const isSizeFitted = resolution !== undefined && size !== undefined && isNearRatio(size, ratio);
  return {
    ratio,
    resolution,
    dropped: [
      ...(aspectRatio !== undefined && aspectRatio !== ratio ? (["aspectRatio"] as const) : []),
      ...(size !== undefined && !isSizeFitted ? (["size"] as const) : []),
    ],
  };
}

/** Returns the vendor's name of a size's resolution; undefined if it is not supported. */
export function resolutionNameOf(resolutionNames: ResolutionNames, { size }: VideoShape): string | undefined {
  return size === undefined ? undefined : resolutionNames[Math.min(size.width, size.height)];
}

/** Vendors round sizes, for example 16:9 to 854x480. */
function isNearRatio({ width, height }: VideoSize, ratio = ""): boolean {
  const [ratioWidth = NaN, ratioHeight = NaN] = ratio.split(":").map(Number);
  return Math.abs((width * ratioHeight) / (height * ratioWidth) - 1) < 0.02;
}

function ratioOf({ width, height }: VideoSize): string {
  const divisor = greatestDivisor(width, height);
  return `${width / divisor}:${height / divisor}`;
}

function greatestDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestDivisor(right, left % right);
}

/** Number of lines by vendors' names of resolutions. "std" and "pro" are Kling's modes. */
const heightByName: Readonly<Record<string, number>> = {
  std: 720,
  pro: 1080,
  "1k": 1024,
  "2k": 1440,
  "4k": 2160,
  "8k": 4320,
};
/** Folded names of members that always contain a resolution, and of members that may. */
const [resolutionMembers, ambiguousMembers] = [
  ["size", "resolution"],
  ["mode", "quality", "ratio", "aspectratio"],
];
export const lineMembers: readonly string[] = [
  ...resolutionMembers,
  ...ambiguousMembers,
  "width",
  "height",
  "metadata",
];
/** Number of lines for an unknown resolution. It is larger than that of all real ones. */
const unknownResolution = 100_000;
/** Minimum side in pixels. Smaller numbers belong to a ratio, such as 16:9. */
const minSide = 100;

/**
 * Reads the number of lines, which is the number of pixels of the shorter side. If a body has several sizes, the
 * largest determines the price.
 */
export function linesIn(body: JsonRecord): number | undefined {
  const members = membersWithin(body);
  const valuesOf = (...names: readonly string[]): readonly unknown[] =>
    members.filter(({ name }) => names.includes(name)).map(({ value }) => value);
  const [width, height] = [longest(valuesOf("width")), longest(valuesOf("height"))];
  const parsed = [
    ...valuesOf(...resolutionMembers).map((value) => linesOf(value, unknownResolution)),
    ...valuesOf(...ambiguousMembers).map((value) => linesOf(value, undefined)),
    linesOfSides(width, height),
  ].filter((lines) => lines !== undefined);
  return parsed.length === 0 ? undefined : Math.max(...parsed);
}

function longest(sides: readonly unknown[]): number {
  return Math.max(0, ...sides.map((side) => (typeof side === "number" ? side : 0)));
}

/** Reads the number of lines in values such as `1280x720`, `1280:720`, `720p` or 720. */
function linesOf(value: unknown, defaultLines: number | undefined): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "number") return value >= minSide ? value : defaultLines;
  const text = typeof value === "string" ? value.trim().toLowerCase() : "";
  const [, width, height] = /^(\d{1,5})\s*[x*:×]\s*(\d{1,5})$/.exec(text) ?? [];
  if (width !== undefined && height !== undefined) return linesOfSides(Number(width), Number(height));
  const [, lines] = /^(\d{3,5})p?$/.exec(text) ?? [];
  if (lines !== undefined) return Number(lines);
  return ownEntry(heightByName, text) ?? defaultLines;
}

/**
 * Returns the number of lines for two sides. A video wider than 16:9 is treated as a 16:9 video with as many pixels.
 */
function linesOfSides(width: number, height: number): number | undefined {
  const shorter = Math.min(width, height);
  if (shorter < minSide) return undefined;
  return Math.max(shorter, Math.floor(Math.sqrt((width * height * 9) / 16)));
}
