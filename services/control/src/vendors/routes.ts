import type { Transport } from "@modelgate/channels";
import type { OperatorRoutes } from "@modelgate/platform";
import { providers } from "@modelgate/providers";
import { fields } from "../api/fields.ts";
import type { ConfigurationFollower } from "../configuration/follow.ts";
import { withKnownPrices } from "./known-prices.ts";
import { listModels } from "./list-models.ts";

/** Vendor for which a channel can be added. */
export interface KnownVendor {
  /** Name with which the ids of its channels begin. */
  readonly name: string;
  readonly title: string;
  /** Name in `libs/providers`. */
  readonly provider: string;
  /** Address of the vendor's API; null if it depends on the customer. */
  readonly baseUrl: string | null;
}

/** Vendors by title, and a generic vendor with OpenAI's formats. */
export const knownVendors: readonly KnownVendor[] = [
  ...Object.entries(providers)
    .map(([name, { title = name, baseUrl = null }]) => ({ name, title, provider: name, baseUrl }))
    .toSorted((left, right) => left.title.localeCompare(right.title)),
  { name: "compatible", title: "Other, with OpenAI's formats", provider: "openai", baseUrl: null },
];

/** Routes of vendors and of their models. */
export function vendorRoutes(
  transport: Transport,
  internalAddresses: readonly string[],
  follower: Pick<ConfigurationFollower, "defaultProxy">,
): OperatorRoutes {
  return {
    "GET /vendors": async () => knownVendors,
    "POST /vendors/models": async ({ body }) => {
      const query = {
        provider: fields.text(body, "provider"),
        baseUrl: fields.text(body, "baseUrl"),
        key: fields.text(body, "key").trim(),
        proxy: follower.defaultProxy,
      };
      return withKnownPrices(await listModels(query, transport, internalAddresses), query);
    },
  };
}
