import type { Provider } from "../provider.ts";
import { rows } from "./rows.ts";
import { vendorOf } from "./vendor.ts";

/** The vendors that are a row of the table, by name. */
export const byName: Readonly<Record<string, Provider>> = Object.fromEntries(
  Object.entries(rows).map(([name, row]) => [name, vendorOf(name, row)]),
);
