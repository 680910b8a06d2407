import { Type, type Static } from "typebox";
import { compilePrice, Failure, PriceConfiguration, stored } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { priceVersionOf } from "./price-version.ts";

/** Hash: version → price as it was written, and when it was first published. Versions are in usage events. */
export const priceVersionsKey = "price-versions";

/** A price as it was published, and when: RFC 3339. */
const PublishedPrice = Type.Object({
  price: Type.Optional(PriceConfiguration),
  publishedAt: Type.Optional(Type.String()),
});

const readPublishedPrice = stored("published price", PublishedPrice);

/** Versions that one step reads. */
const versionsAtOnce = 500;

/**
 * The price of a version; undefined where none was published under it. Throws Failure where the price is not the one that
 * the version is the digest of, and UnknownShape where it is no price.
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

/** Versions whose price is not the one that the version is the digest of. */
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
