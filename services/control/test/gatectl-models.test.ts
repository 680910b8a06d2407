import { expect, test } from "vitest";
import { modelCommands } from "../src/gatectl/models.ts";

const show = modelCommands.find(({ name }) => name === "model show") ?? expect.unreachable();

/** Returns the output of `gatectl model show` for a model with these prices. */
async function shownPrices(price: readonly object[]): Promise<string> {
  const unused = () => expect.unreachable();
  const server = { get: async () => ({ name: "m", price, channels: [] }), post: unused, address: unused, stream: unused };
  const args = { positionals: ["m"], options: {}, flags: new Set<string>(), json: false };
  return (await show.run({ ...args, stdout: process.stdout, confirm: unused }, server)).text;
}

test.each([
  ["input", 0.25, "million tokens", "$0.25 per million tokens"],
  ["serviceTiers.flex", 0.5, "factor", "× 0.5"],
])("the price %s of %d per %s is shown as %s", async (field, dollars, per, shown) => {
  const lines = (await shownPrices([{ field, dollars, per, from: "configuration", day: null }])).split("\n");
  expect(lines.find((line) => line.startsWith(`${field} `))).toBe(`${field}  ${shown}  configuration  -`);
});
