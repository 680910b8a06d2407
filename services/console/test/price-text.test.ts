import { expect, test } from "vitest";
import { priceLines } from "../src/parts/price-text.ts";

test.each([
  ["input", { input: 0.25 }, ["input $0.25 per million tokens"]],
  ["cachedInput", { cachedInput: 0.025 }, ["cached input $0.025 per million tokens"]],
  ["image", { image: 0.04 }, ["$0.04 per image"]],
  ["characters", { character: 0.0000006 }, ["$0.0000006 per character"]],
  ["small amounts in tools", { tools: { webSearch: 1.25e-7 } }, ["web search $0.000000125 per call"]],
  ["small factors", { serviceTiers: { flex: 5e-7 } }, ["service tiers: flex × 0.0000005"]],
  [
    "tools",
    { tools: { webSearch: 0.01, fileSearch: 0.0025 } },
    ["web search $0.01 per call", "file search $0.0025 per call"],
  ],
  [
    "tiers",
    { tiers: [{ above: 200_000, input: 0.5, output: 3 }] },
    ["above 200K input tokens: input $0.5 per million tokens, output $3 per million tokens"],
  ],
  ["serviceTiers", { serviceTiers: { flex: 0.5, priority: 2 } }, ["service tiers: flex × 0.5, priority × 2"]],
  ["resolutions", { resolutions: { "1080p": { second: 0.5 } } }, ["1080p: $0.5 per second"]],
])("a price for %s is shown with $ and its unit", (_, price, lines) => {
  expect(priceLines(price)).toEqual(lines);
});
