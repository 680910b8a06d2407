import { createHash } from "node:crypto";
import type { Price } from "@modelgate/contracts";

/** A price is one object for as long as its catalog lives: named once. */
const names = new WeakMap<Price, string>();

/** Names a price by what it says: twelve hex digits, the same wherever and whenever the price is the same. */
export function priceVersionOf(price: Price): string {
  const known = names.get(price);
  if (known !== undefined) return known;
  const text = [...price].map(([unit, atto]) => `${unit} ${atto}`).sort();
  const name = createHash("sha256").update(text.join("\n")).digest("hex").slice(0, 12);
  names.set(price, name);
  return name;
}
