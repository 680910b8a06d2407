import type { UnitName, Units } from "../units.ts";
import { parseDecimal, toScale } from "./decimal.ts";
import { priceForInput, isToolUnit, multiplierDecimals, unitDecimals, toMicros, type Price } from "./price.ts";

/** One term of a cost, in exact decimals: amount × dollarsEach × factor × multiplier = dollars. */
export interface CostLine {
  readonly unit: UnitName;
  readonly amount: string;
  readonly dollarsEach: string;
  /** Factor of the service tier. It is 1 for the default tier and for tools. */
  readonly factor: string;
  readonly multiplier: string;
  readonly dollars: string;
}

const priceScale = 18;
const lineScale = priceScale + unitDecimals + 2 * multiplierDecimals;

/** Returns the terms that `costOf` adds up before it rounds. */
export function costLines(units: Units, price: Price, multiplier: number): readonly CostLine[] {
  const scaledMultiplier = toScale(parseDecimal(multiplier), multiplierDecimals);
  const unitPrices = priceForInput(units, price);
  return [...unitPrices].flatMap(([unit, each]) => {
    const amount = units[unit];
    if (amount === undefined || amount === 0) return [];
    const micros = toMicros(amount);
    const factor = isToolUnit(unit) ? 10n ** BigInt(multiplierDecimals) : price.factor;
    return {
      unit,
      amount: decimalText(micros, unitDecimals),
      dollarsEach: decimalText(each, priceScale),
      factor: decimalText(factor, multiplierDecimals),
      multiplier: decimalText(scaledMultiplier, multiplierDecimals),
      dollars: decimalText(each * micros * factor * scaledMultiplier, lineScale),
    };
  });
}

function decimalText(amount: bigint, scale: number): string {
  const digits = amount.toString().padStart(scale + 1, "0");
  const [integerPart, fraction] = [digits.slice(0, -scale), digits.slice(-scale).replace(/0+$/, "")];
  return fraction === "" ? integerPart : `${integerPart}.${fraction}`;
}
