const nanosPerDollar = 1_000_000_000n;

/** Formats nano-dollars as dollars with all significant digits: $1.50, $0.000002265. */
export function exactUsd(nanos: string): string {
  const amount = BigInt(nanos);
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % nanosPerDollar)
    .toString()
    .padStart(9, "0")
    .replace(/0{1,7}$/, "");
  return `${amount < 0n ? "-" : ""}$${(size / nanosPerDollar).toLocaleString("en-US")}.${fraction}`;
}

/** Formats nano-dollars with few digits: two decimals, or three significant digits below one dollar. */
export function shortUsd(nanos: string): string {
  const dollars = Number(nanos) / 1e9;
  if (dollars === 0) return "$0";
  if (Math.abs(dollars) >= 1)
    return dollars.toLocaleString("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 2 });
  return `${dollars < 0 ? "-" : ""}$${belowOne(Math.abs(dollars))}`;
}

/** Formats an amount below one dollar, without the sign. */
function belowOne(dollars: number): string {
  const decimals = Math.min(9, 2 - Math.floor(Math.log10(dollars)));
  // Removes zeros at the end, except in the first two decimals.
  return dollars.toFixed(decimals).replace(/(\.\d\d\d*?)0+$/, "$1");
}

/** Returns the sum of amounts in nano-dollars. */
export function sumNanos(amounts: Iterable<string>): string {
  let sum = 0n;
  for (const amount of amounts) sum += BigInt(amount);
  return sum.toString();
}

/** Formats nano-dollars as form input, for example 12.5. */
export function plainUsd(nanos: string | undefined): string {
  return nanos === undefined ? "" : exactUsd(nanos).replaceAll(/[$,]|\.0+$/g, "");
}
