import { Stack, Text } from "@mantine/core";
import { formatCount } from "../format/numbers.ts";
import { say, sayWord } from "../texts/say.ts";

const perMillion = new Set([
  "input",
  "cachedInput",
  "cacheWrite",
  "cacheWrite1h",
  "output",
  "inputAudio",
  "outputAudio",
  "inputImage",
  "outputImage",
]);

/** Price in readable form, with one line per unit and condition. */
export function Price({ price = {} }: { readonly price?: Readonly<Record<string, unknown>> | undefined }) {
  const lines = Object.entries(price).flatMap(([name, value]) => priceLines(name, value));
  if (lines.length === 0) return say("none");
  return (
    <Stack gap={0} miw={220}>
      {lines.map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </Stack>
  );
}

function priceLines(name: string, value: unknown): readonly string[] {
  if (typeof value === "number") return [priceText(name, value)];
  if (Array.isArray(value)) return value.map((tier: unknown) => tierText(asObject(tier)));
  const members = asObject(value);
  if (name === "resolutions")
    return Object.entries(members).map(([from, its]) => `${from}: ${joinPrices(asObject(its))}`);
  if (name === "serviceTiers") return [`${sayWord(name)}: ${joinPrices(members, " × ", "")}`];
  return [`${sayWord(name)}: ${joinPrices(members)}`];
}

function priceText(name: string, value: number): string {
  const [unit, price] = [sayWord(name), `$${value}`];
  return perMillion.has(name)
    ? say("{unit} {price} per million", { unit, price })
    : say("{price} per {unit}", { unit, price });
}

function tierText({ above, ...prices }: Readonly<Record<string, unknown>>): string {
  return say("above {tokens} input tokens: {prices}", {
    tokens: formatCount(Number(above)),
    prices: joinPrices(prices),
  });
}

function joinPrices(members: Readonly<Record<string, unknown>>, between = " ", currency = "$"): string {
  return Object.entries(members)
    .map(
      ([name, value]) =>
        `${sayWord(name)}${between}${typeof value === "number" ? `${currency}${value}` : JSON.stringify(value)}`,
    )
    .join(", ");
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
