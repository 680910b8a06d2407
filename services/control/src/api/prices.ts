import { Failure } from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";

/** Prices as they were published, by the versions that usage events name. */
export function priceRoutes(redis: Redis): OperatorRoutes {
  return {
    "GET /prices/{version}": async ({ params }) => {
      const price = await redis.hget(priceVersionsKey, params["version"] ?? "");
      if (price === null) throw new Failure("unknown_url", "No price was ever published under that version.");
      return { version: params["version"], ...parsed(price) };
    },
  };
}

/** Hash: version → price as it was written, and when it was first published. Versions are in usage events. */
export const priceVersionsKey = "price-versions";

function parsed(text: string): object {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? value : {};
}
