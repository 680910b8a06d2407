import type { Provider } from "../provider.ts";
import { chineseVendors } from "./chinese.ts";
import { hostedVendors } from "./hosted.ts";
import { ownVendors } from "./own.ts";
import type { VendorRow } from "./row.ts";
import { vendorOfRow } from "./vendor.ts";

const tables: readonly Readonly<Record<string, VendorRow>>[] = [hostedVendors, chineseVendors, ownVendors];

/** The vendors that are a row of a table and need no code. */
export const rowVendors: readonly Provider[] = tables.flatMap((table) =>
  Object.entries(table).map(([name, row]) => vendorOfRow(name, row)),
);
