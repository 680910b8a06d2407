import { publishedPrice } from "@modelgate/catalog";
import { Failure } from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";

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
