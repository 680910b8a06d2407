/** Renders a number without an exponent, for example 6e-7 as `0.0000006`. */
export function plainNumber(value: number): string {
  return value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 });
}
