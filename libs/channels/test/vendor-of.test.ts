import { expect, test } from "vitest";
import { vendorOf } from "../src/supported-wires.ts";

test.each([
  ["the channel's own setting", { provider: "openai", baseUrl: "https://api.openai.com/v1", wires: ["chat"] }, "chat"],
  ["its provider's at the known address", { provider: "openai", baseUrl: "https://api.openai.com/v1" }, "responses"],
  ["its provider's at another address", { provider: "openai", baseUrl: "https://vendor.example/v1" }, "chat"],
] as const)("a channel's wires are those of %s", (_, channel, first) => {
  const vendor = vendorOf(channel, "m");
  expect(vendor?.provider.name).toBe("openai");
  expect(vendor).toMatchObject({ wires: expect.arrayContaining([first]) });
  expect(vendor?.wires[0]).toBe(first);
});

test("an unknown provider has no vendor", () => {
  expect(vendorOf({ provider: "of-a-newer-build", baseUrl: "https://vendor.example/v1" }, "m")).toBeUndefined();
});
