import { plainNumber } from "../api/plain-number.ts";
import { priceUnits } from "../api/words.ts";
import { formatCount } from "../format/numbers.ts";
import { translate, translateTerm } from "../texts/translate.ts";

const unitOf: ReadonlyMap<string, string> = new Map(Object.entries(priceUnits));

/** Returns a model's price as text, with one line per unit and condition. */
export function priceLines(price: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(price).flatMap(([name, value]) => {
    if (name === "tiers") return Array.isArray(value) ? value.map((tier: unknown) => tierText(asObject(tier))) : [];
    const members = Object.entries(asObject(value));
    if (name === "tools") return members.map(([tool, dollars]) => amountText(tool, dollars, "call"));
    if (name === "resolutions") return members.map(([from, prices]) => `${from}: ${joinPrices(asObject(prices))}`);
    if (name === "serviceTiers")
      return [
        `${translateTerm(name)}: ${members.map(([tier, factor]) => `${tier} × ${numberText(factor)}`).join(", ")}`,
      ];
    return [amountText(name, value)];
  });
}

function tierText({ above, ...prices }: Readonly<Record<string, unknown>>): string {
  return translate("above {tokens} input tokens: {prices}", {
    tokens: formatCount(Number(above)),
    prices: joinPrices(prices),
  });
}

function joinPrices(prices: Readonly<Record<string, unknown>>): string {
  return Object.entries(prices)
    .map(([name, dollars]) => amountText(name, dollars))
    .join(", ");
}

/** Returns an amount with its unit, and with its name unless the unit is the name. */
function amountText(name: string, dollars: unknown, unit = unitOf.get(name) ?? name): string {
  const values = { price: `$${numberText(dollars)}`, unit: translateTerm(unit) };
  return unit === name
    ? translate("{price} per {unit}", values)
    : translate("{name} {price} per {unit}", { name: translateTerm(name), ...values });
}

function numberText(value: unknown): string {
  return plainNumber(Number(value));
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
