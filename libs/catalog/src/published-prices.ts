import { compilePrice, Failure, PriceConfiguration, recordParser, type Price } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { createHash } from "node:crypto";
import { Type, type Static } from "typebox";

const versionCache = new WeakMap<Price, string>();

/** Returns the version of a price: a digest of its content, equal in every process. */
export function priceVersionOf(price: Price): string {
  const cached = versionCache.get(price);
  if (cached !== undefined) return cached;
  const version = createHash("sha256").update(linesOf(price).join("\n")).digest("hex").slice(0, 12);
  versionCache.set(price, version);
  return version;
}

/** Lists the contents of a price as lines. A price and its variants for service tiers have the same lines. */
function linesOf(price: Price): readonly string[] {
  const unitLines = (units: Price): string[] => [...units].map(([unit, atto]) => `${unit} ${atto}`).sort();
  return [
    ...unitLines(price),
    ...price.lengths.flatMap(({ above, price: longer }) => unitLines(longer).map((line) => `above ${above} ${line}`)),
    ...[...price.serviceTiers].map(([name, { factor }]) => `tier ${name} ${factor}`).sort(),
  ];
}

/** Redis hash of published prices by version. Usage events contain versions. */
export const priceVersionsKey = "price-versions";

/** A published price, and the time of its first publication (RFC 3339). */
const PublishedPrice = Type.Object({
  price: Type.Optional(PriceConfiguration),
  publishedAt: Type.Optional(Type.String()),
});

const readPublishedPrice = recordParser("published price", PublishedPrice);

const versionsPerRead = 500;

/** Reads the published price of a version. Throws Failure internal_error if the price does not match the version. */
export async function publishedPrice(
  redis: Redis,
  version: string,
): Promise<Static<typeof PublishedPrice> | undefined> {
  const text = await redis.hget(priceVersionsKey, version);
  if (text === null) return undefined;
  if (!isDigestOf(version, text))
    throw new Failure(
      "internal_error",
      `The price of version ${version} differs from the published one: it was altered.`,
    );
  return readPublishedPrice(text);
}

/** Returns the versions whose stored price was altered: a version is a hash of its price, and the hash differs. */
export async function alteredPrices(redis: Redis): Promise<readonly string[]> {
  const altered = new Set<string>();
  for (let cursor = "0"; ;) {
    const [next, pairs] = await redis.hscan(priceVersionsKey, cursor, "COUNT", versionsPerRead);
    for (let index = 0; index + 1 < pairs.length; index += 2) {
      const [version = "", text = ""] = pairs.slice(index, index + 2);
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
