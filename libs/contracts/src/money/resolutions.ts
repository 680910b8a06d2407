import { compilePrice, type Price, type PriceField, type WrittenPrice } from "./price.ts";

/** Members of a price that can depend on the resolution of a video. */
export const resolutionFields = ["second", "image", "request"] as const satisfies readonly PriceField[];

/** A price as the configuration writes it, with the members that differ from a resolution on (`1080p` and larger). */
export type WrittenPrices = WrittenPrice & {
  readonly resolutions?: Readonly<Record<string, Pick<WrittenPrice, (typeof resolutionFields)[number]>>> | undefined;
};

/** The complete price from a resolution on. */
export interface ResolutionPrice {
  /** Number of pixels of the shorter side. */
  readonly lines: number;
  readonly price: Price;
}

/** Returns every written price: the default first, then each resolution's, completed with the default. */
export function pricesIn({ resolutions = {}, ...usual }: WrittenPrices): readonly WrittenPrice[] {
  return [usual, ...Object.values(resolutions).map((other) => ({ ...usual, ...other }))];
}

/** Compiles the prices of resolutions, smallest first. Throws RangeError as `compilePrice` does. */
export function compileResolutions({ resolutions = {}, ...usual }: WrittenPrices): readonly ResolutionPrice[] {
  return Object.entries(resolutions)
    .map(([name, other]) => ({ lines: Number.parseInt(name, 10), price: compilePrice({ ...usual, ...other }) }))
    .toSorted((left, right) => left.lines - right.lines);
}

/**
 * Returns the price of a video with this many lines: that of the largest resolution which it reaches, else the default
 * price. The default also applies if the vendor chooses the resolution (undefined).
 */
export function priceAt(
  { price, resolutions = [] }: { readonly price: Price; readonly resolutions?: readonly ResolutionPrice[] | undefined },
  lines: number | undefined,
): Price {
  return resolutions.findLast((each) => lines !== undefined && lines >= each.lines)?.price ?? price;
}
