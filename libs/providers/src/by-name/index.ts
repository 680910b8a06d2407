import type { Provider } from "../provider.ts";
import { chineseVendors } from "./chinese.ts";
import { hostedVendors } from "./hosted.ts";
import { ownVendors } from "./own.ts";
import { vendorOfRow } from "./vendor.ts";

/** The vendors that are a row of a table and need no code. */
export const rowVendors: readonly Provider[] = [hostedVendors, chineseVendors, ownVendors].flatMap((table) =>
  Object.entries(table).map(([name, row]) => vendorOfRow(name, row)),
);
