import { Failure } from "@modelgate/contracts";

/** Pixels. */
export interface VideoSize {
  readonly width: number;
  readonly height: number;
}

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

/** A shape as a vendor makes it, and the members of the request that ask for another. */
export interface FittedShape {
  readonly ratio: string | undefined;
  readonly dropped: readonly ("size" | "aspectRatio")[];
}

/**
 * Fits a shape to a vendor's ratios. One that the vendor does not make is dropped by name, and the vendor chooses: a
 * size is never rounded to another shape.
 */
export function ratioAmong(ratios: readonly string[], { size, aspectRatio }: VideoShape): FittedShape {
  const ratio = aspectRatio ?? (size === undefined ? undefined : ratioOf(size));
  if (ratio === undefined || ratios.includes(ratio)) return { ratio, dropped: [] };
  return { ratio: undefined, dropped: [size === undefined ? "aspectRatio" : "size"] };
}

/** A vendor's names of resolutions, by the pixels of the shorter side. */
export type Tiers = Readonly<Record<number, string>>;

/** A shape as a vendor makes it that takes a ratio and a resolution. */
export interface FittedTier extends FittedShape {
  readonly tier: string | undefined;
}

/** Fits a shape to a vendor's ratios and resolutions; a size of another resolution is dropped by name. */
export function tierAmong(tiers: Tiers, ratios: readonly string[], shape: VideoShape): FittedTier {
  const { ratio, dropped } = ratioAmong(ratios, shape);
  if (dropped.length > 0) return { ratio, dropped, tier: undefined };
  const tier = tierOf(tiers, shape);
  return { ratio, tier, dropped: shape.size === undefined || tier !== undefined ? [] : ["size"] };
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
