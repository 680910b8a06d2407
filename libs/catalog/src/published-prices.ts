import { compilePrice, Failure, PriceConfiguration, stored, type Price } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { createHash } from "node:crypto";
import { Type, type Static } from "typebox";

/** Cached names of prices: a price is one object for the lifetime of its catalog. */
const names = new WeakMap<Price, string>();

/**
 * Returns the name of a price, derived from its content: twelve hex digits, identical wherever and whenever the price
 * is the same.
 */
export function priceVersionOf(price: Price): string {
  const known = names.get(price);
  if (known !== undefined) return known;
  const name = createHash("sha256").update(linesOf(price).join("\n")).digest("hex").slice(0, 12);
  names.set(price, name);
  return name;
}

/** Lists the content of a price, one line each; identical at all of its service tiers. */
function linesOf(price: Price): readonly string[] {
  const units = (each: Price): string[] => [...each].map(([unit, atto]) => `${unit} ${atto}`).sort();
  return [
    ...units(price),
    ...price.lengths.flatMap(({ above, price: longer }) => units(longer).map((line) => `above ${above} ${line}`)),
    ...[...price.serviceTiers].map(([name, { factor }]) => `tier ${name} ${factor}`).sort(),
  ];
}

/** Redis hash: version → the written price, and the time of its first publication. Usage events contain versions. */
export const priceVersionsKey = "price-versions";

/** A published price, and the time of its publication: RFC 3339. */
const PublishedPrice = Type.Object({
  price: Type.Optional(PriceConfiguration),
  publishedAt: Type.Optional(Type.String()),
});

const readPublishedPrice = stored("published price", PublishedPrice);

/** Versions per read. */
const versionsAtOnce = 500;

/**
 * Reads the price of a version; undefined if none was published under it. Throws Failure if the price does not match
 * the version, which is its digest, and UnknownShape if it is not a price.
 */
export async function publishedPrice(
  redis: Redis,
  version: string,
): Promise<Static<typeof PublishedPrice> | undefined> {
  const text = await redis.hget(priceVersionsKey, version);
  if (text === null) return undefined;
  if (!isDigestOf(version, text))
    throw new Failure("internal_error", `The price of version ${version} is not what was published: it was altered.`);
  return readPublishedPrice(text);
}

/** Lists the versions whose stored price does not match the digest. */
export async function alteredPrices(redis: Redis): Promise<readonly string[]> {
  const altered = new Set<string>();
  for (let cursor = "0"; ;) {
    const [next, pairs] = await redis.hscan(priceVersionsKey, cursor, "COUNT", versionsAtOnce);
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const [version = "", text = ""] = pairs.slice(at, at + 2);
      if (!isDigestOf(version, text)) altered.add(version);
    }
    if (next === "0") return [...altered].sort();
    cursor = next;
  }
}

function isDigestOf(version: string, text: string): boolean {
  try {
    return priceVersionOf(compilePrice(readPublishedPrice(text).price ?? {})) === version;
  } catch {
    return false;
  }
}
