import type { Transport } from "@modelgate/channels";
import type { OperatorRoutes } from "@modelgate/platform";
import { fields } from "../api/fields.ts";
import { withKnownPrices } from "./known-prices.ts";
import { knownVendors } from "./known.ts";
import { listModels } from "./list-models.ts";

/** The vendors that can be added, and the models that each says it has. */
export function vendorRoutes(transport: Transport, inside: readonly string[]): OperatorRoutes {
  return {
    "GET /vendors": async () => knownVendors,
    "POST /vendors/models": async ({ body }) => {
      const wish = {
        provider: fields.text(body, "provider"),
        baseUrl: fields.text(body, "baseUrl"),
        key: fields.text(body, "key").trim(),
      };
      return withKnownPrices(await listModels(wish, transport, inside), wish);
    },
  };
}
