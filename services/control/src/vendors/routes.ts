import type { Transport } from "@modelgate/channels";
import type { OperatorRoutes } from "@modelgate/platform";
import { providers } from "@modelgate/providers";
import { fields } from "../api/fields.ts";
import { withKnownPrices } from "./known-prices.ts";
import { listModels } from "./list-models.ts";

/** A vendor that can be added. */
export interface KnownVendor {
  /** Prefix of its channels' names. */
  readonly name: string;
  readonly title: string;
  /** Provider that handles it. */
  readonly provider: string;
  /** Null where only its customer knows the address. */
  readonly baseUrl: string | null;
}

/** Vendors that this build supports, by title, and a generic one with OpenAI's formats. */
export const knownVendors: readonly KnownVendor[] = [
  ...Object.entries(providers)
    .map(([name, { title = name, baseUrl = null }]) => ({ name, title, provider: name, baseUrl }))
    .toSorted((one, other) => one.title.localeCompare(other.title)),
  { name: "compatible", title: "Another that speaks OpenAI's formats", provider: "openai", baseUrl: null },
];

/** Routes of the vendors that can be added, and of the models that each lists. */
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
