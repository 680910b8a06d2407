import { compilePrice, type Price, type PriceField, type ConfiguredPrice } from "./price.ts";

/** Price fields that can depend on the resolution of a video. */
export const resolutionFields = ["second", "image", "request"] as const satisfies readonly PriceField[];

/**
 * A price in the configuration. `resolutions` contains the fields that differ for videos of at least a resolution, such
 * as `1080p`.
 */
export type ConfiguredPrices = ConfiguredPrice & {
  readonly resolutions?: Readonly<Record<string, Pick<ConfiguredPrice, (typeof resolutionFields)[number]>>> | undefined;
};

/** The complete price for videos of at least a certain resolution. */
export interface ResolutionPrice {
  /** Number of pixels of the video's shorter side. */
  readonly lines: number;
  readonly price: Price;
}

/** Returns the default price, and the complete price of each resolution. */
export function allConfiguredPrices({ resolutions = {}, ...usual }: ConfiguredPrices): readonly ConfiguredPrice[] {
  return [usual, ...Object.values(resolutions).map((other) => ({ ...usual, ...other }))];
}

/** Compiles the prices of all resolutions, the smallest resolution first. Throws the errors of `compilePrice`. */
export function compileResolutions({ resolutions = {}, ...usual }: ConfiguredPrices): readonly ResolutionPrice[] {
  return Object.entries(resolutions)
    .map(([name, other]) => ({ lines: Number.parseInt(name, 10), price: compilePrice({ ...usual, ...other }) }))
    .toSorted((left, right) => left.lines - right.lines);
}

/** Returns the price of a video with this many lines. The default price applies below all resolutions. */
export function priceAt(
  { price, resolutions = [] }: { readonly price: Price; readonly resolutions?: readonly ResolutionPrice[] | undefined },
  lines: number | undefined,
): Price {
  return resolutions.findLast((each) => lines !== undefined && lines >= each.lines)?.price ?? price;
}
