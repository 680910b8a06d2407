import { Type, type Static } from "typebox";
import { Failure, PriceConfiguration, stored } from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";

/** Hash: version → price as it was written, and when it was first published. Versions are in usage events. */
export const priceVersionsKey = "price-versions";

/** A price as it was published, and when: RFC 3339. */
const PublishedPrice = Type.Object({
  price: Type.Optional(PriceConfiguration),
  publishedAt: Type.Optional(Type.String()),
});

const readPublishedPrice = stored("published price", PublishedPrice);

/** Prices as they were published, by the versions that usage events name. */
export function priceRoutes(redis: Redis): OperatorRoutes {
  return {
    "GET /prices/{version}": async ({ params: { version = "" } }) => {
      const found = await publishedPrice(redis, version);
      if (found === undefined) throw new Failure("unknown_url", "No price was ever published under that version.");
      return { version, ...found };
    },
  };
}

/** The price of a version; undefined where none was published under it. Throws UnknownShape. */
export async function publishedPrice(
  redis: Redis,
  version: string,
): Promise<Static<typeof PublishedPrice> | undefined> {
  const text = await redis.hget(priceVersionsKey, version);
  return text === null ? undefined : readPublishedPrice(text);
}
