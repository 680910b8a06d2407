import { Failure, type WrittenPrice } from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";

/** Hash: version → price as it was written, and when it was first published. Versions are in usage events. */
export const priceVersionsKey = "price-versions";

/** A price as it was published. */
interface PublishedPrice {
  readonly price?: WrittenPrice;
  readonly publishedAt?: string;
}

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

/** The price of a version; undefined where none was published under it. */
export async function publishedPrice(redis: Redis, version: string): Promise<PublishedPrice | undefined> {
  const text = await redis.hget(priceVersionsKey, version);
  if (text === null) return undefined;
  // Written by this service, from a configuration that it had checked.
  // oxlint-disable-next-line typescript/no-unsafe-assignment
  const published: PublishedPrice = JSON.parse(text);
  return published;
}
