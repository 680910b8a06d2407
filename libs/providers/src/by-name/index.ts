import type { Provider } from "../provider.ts";
import { chineseVendors } from "./chinese.ts";
import { hostedVendors } from "./hosted.ts";
import { ownVendors } from "./own.ts";
import { vendorOfRow } from "./vendor.ts";

/** The vendors that are a row of a table, by name. */
export const byName: Readonly<Record<string, Provider>> = Object.fromEntries(
  Object.entries({ ...hostedVendors, ...chineseVendors, ...ownVendors }).map(([name, row]) => [
    name,
    vendorOfRow(name, row),
  ]),
);
