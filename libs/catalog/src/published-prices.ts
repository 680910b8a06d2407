import { compilePrice, Failure, PriceConfiguration, stored, type Price } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { createHash } from "node:crypto";
import { Type, type Static } from "typebox";

/** A price is one object for as long as its catalog lives: named once. */
const names = new WeakMap<Price, string>();

/** Names a price by its content: twelve hex digits, the same wherever and whenever the price is the same. */
export function priceVersionOf(price: Price): string {
  const known = names.get(price);
  if (known !== undefined) return known;
  const name = createHash("sha256").update(linesOf(price).join("\n")).digest("hex").slice(0, 12);
  names.set(price, name);
  return name;
}

/** Lists the content of a price, a line each; the same at every service tier of it. */
function linesOf(price: Price): readonly string[] {
  const units = (each: Price): string[] => [...each].map(([unit, atto]) => `${unit} ${atto}`).sort();
  return [
    ...units(price),
    ...price.lengths.flatMap(({ above, price: longer }) => units(longer).map((line) => `above ${above} ${line}`)),
    ...[...price.serviceTiers].map(([name, { factor }]) => `tier ${name} ${factor}`).sort(),
  ];
}

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
