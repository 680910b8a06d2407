import { expect, test } from "vitest";
import { compilePrice } from "@modelgate/contracts";
import { meter } from "../../src/money/metered.ts";
import type { CallPlan } from "../../src/call/plan.ts";
import { Produced } from "../../src/money/meter.ts";

const plan: CallPlan = {
  model: { name: "m", kind: "chat", ownedBy: "o", price: compilePrice({ output: 1 }) },
  multiplier: 1,
  body: Buffer.from("four words of text"),
  stream: true,
  size: { textBytes: 18, mediaTokens: 0, maxOutputTokens: undefined, choices: 1 },
  wires: ["chat"],
  exchange: () => {
    throw new Error("nothing is sent");
  },
};

test.each([
  ["a whole stream is charged what its vendor reported", "completed", 3, false],
  ["one that broke after a report of its beginning is charged what came", "cancelled", 90, true],
] as const)("%s", async (_, outcome, outputTokens, estimated) => {
  const produced = new Produced();
  produced.usage = { inputTokens: 7, outputTokens: 3 };
  produced.add("word ".repeat(89));
  const { units, ...rest } = await meter(plan, produced, outcome);
  expect({ units, ...rest }).toEqual({ units: { requests: 1, inputTokens: 7, outputTokens }, estimated });
});

test("one that broke after its last report is charged that", async () => {
  const produced = new Produced();
  produced.add("word ".repeat(89));
  produced.usage = { inputTokens: 7, outputTokens: 3 };
  expect(await meter(plan, produced, "failed")).toEqual({
    units: { requests: 1, inputTokens: 7, outputTokens: 3 },
    estimated: false,
  });
});
