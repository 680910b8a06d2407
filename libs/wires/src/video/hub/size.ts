import { Failure } from "@modelgate/contracts";

/** Pixels. */
export interface VideoSize {
  readonly width: number;
  readonly height: number;
}

/** `<width>x<height>`, or with an asterisk. Throws Failure invalid_value naming `param`. */
export function parseSize(text: string, param: string): VideoSize {
  const [, width, height] = /^([1-9]\d{1,4})[x*]([1-9]\d{1,4})$/.exec(text) ?? [];
  if (width === undefined || height === undefined)
    throw new Failure("invalid_value", `${param} must be <width>x<height>, as in 1280x720.`, { param });
  return { width: Number(width), height: Number(height) };
}

export function writeSize({ width, height }: VideoSize): string {
  return `${width}x${height}`;
}

/** What a request says of its shape. */
export interface Shape {
  readonly size?: VideoSize | undefined;
  readonly aspectRatio?: string | undefined;
}

/**
 * The shape as one of a vendor's ratios; undefined where the client said none. Throws Failure unsupported_parameter
 * with the ratios that there are: a size is never rounded to another shape.
 */
export function ratioAmong(ratios: readonly string[], { size, aspectRatio }: Shape): string | undefined {
  if (size === undefined && aspectRatio === undefined) return undefined;
  const ratio = aspectRatio ?? (size === undefined ? "" : ratioOf(size));
  if (ratios.includes(ratio)) return ratio;
  const param = size === undefined ? "aspectRatio" : "size";
  throw new Failure(
    "unsupported_parameter",
    `${param}: the vendor of this model makes videos of ${ratios.join(", ")} only.`,
    { param },
  );
}

function ratioOf({ width, height }: VideoSize): string {
  const divisor = greatestDivisor(width, height);
  return `${width / divisor}:${height / divisor}`;
}

function greatestDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestDivisor(right, left % right);
}
