import { Failure } from "@modelgate/contracts";
import type { ImageSize } from "./request.ts";

/** No model makes a larger side. */
const longestSide = 16_384;

/** A size as `1024x1536` or `1024*1536`; undefined for none and for `auto`. Throws Failure (400) naming `at`. */
export function parseSize(text: string | undefined, at: string): ImageSize | undefined {
  if (text === undefined || text === "auto") return undefined;
  const [, width = 0, height = 0] = /^(\d{1,5})[x*](\d{1,5})$/i.exec(text)?.map(Number) ?? [];
  if (width < 1 || height < 1 || width > longestSide || height > longestSide)
    throw new Failure(
      "invalid_value",
      `${at} must be <width>x<height> with sides from 1 to ${longestSide} pixels, or auto.`,
      { param: at },
    );
  return { width, height };
}

/** Of ratios such as `16:9`, the one that is nearest to a size. */
export function nearestRatio<Ratio extends string>(
  { width, height }: ImageSize,
  ratios: readonly Ratio[],
): Ratio | undefined {
  const wanted = Math.log(width / height);
  const far = (ratio: string): number => {
    const [w = 1, h = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(w / h) - wanted);
  };
  return ratios.toSorted((left, right) => far(left) - far(right))[0];
}
