import { expect, test } from "vitest";
import { modelCommands } from "../src/gatectl/models.ts";
import { runCommand } from "./run-command.ts";

/** Returns the output of `gatectl model show` for a model with these prices. */
async function shownPrices(price: readonly object[]): Promise<string> {
  const get = async () => ({ name: "m", price, channels: [] });
  return (await runCommand(modelCommands, "model show", { positionals: ["m"] }, { get })).text;
}

test.each([
  ["input", 0.25, "million tokens", "$0.25 per million tokens"],
  ["inputImage", 0, "million tokens", "$0 per million tokens"],
  ["character", 0.000015, "character", "$0.000015 per character"],
  ["character", 0.0000006, "character", "$0.0000006 per character"],
  ["character", 1.25e-12, "character", "$0.00000000000125 per character"],
  ["second", 1_234_567.5, "second", "$1234567.5 per second"],
  ["serviceTiers.flex", 0.5, "factor", "× 0.5"],
  ["serviceTiers.flex", 5e-7, "factor", "× 0.0000005"],
])("the price %s of %d per %s is shown as %s", async (field, dollars, per, shown) => {
  const lines = (await shownPrices([{ field, dollars, per, from: "configuration", day: null }])).split("\n");
  expect(lines.find((line) => line.startsWith(`${field} `))).toBe(`${field}  ${shown}  configuration  -`);
});

test("a model's channels are shown with their state and its reason", async () => {
  const answers: Readonly<Record<string, unknown>> = {
    "/models/m": { name: "m", channels: [{ id: "main", provider: "openai", upstreamModel: "m" }] },
    "/channels": [
      { id: "other", state: "ok" },
      { id: "main", state: "off", reason: "OPENAI_API_KEY is not set" },
    ],
  };
  const get = async (path: string) => answers[path];
  const { text } = await runCommand(modelCommands, "model show", { positionals: ["m"] }, { get });
  expect(text.split("\n").at(-1)).toMatch(/^main .* off +OPENAI_API_KEY is not set$/);
});
