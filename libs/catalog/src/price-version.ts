import { createHash } from "node:crypto";
import type { Price } from "@modelgate/contracts";

/** A price is one object for as long as its catalog lives: named once. */
const names = new WeakMap<Price, string>();

/** Names a price by what it says: twelve hex digits, the same wherever and whenever the price is the same. */
export function priceVersionOf(price: Price): string {
  const known = names.get(price);
  if (known !== undefined) return known;
  const name = createHash("sha256").update(linesOf(price).join("\n")).digest("hex").slice(0, 12);
  names.set(price, name);
  return name;
}

/** All that a price says, a line each; the same at every service tier of it. */
function linesOf(price: Price): readonly string[] {
  const units = (each: Price): string[] => [...each].map(([unit, atto]) => `${unit} ${atto}`).sort();
  return [
    ...units(price),
    ...price.lengths.flatMap(({ above, price: longer }) => units(longer).map((line) => `above ${above} ${line}`)),
    ...[...price.serviceTiers].map(([name, { factor }]) => `tier ${name} ${factor}`).sort(),
  ];
}
