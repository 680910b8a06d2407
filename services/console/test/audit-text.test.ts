import { expect, test } from "vitest";
import { auditText } from "../src/parts/audit-text.ts";

test.each([
  ["account.create", null, { name: "acme", balanceNanos: "25000000000" }, "Created the account with $25.00"],
  ["credit.top-up", null, { nanos: "5000000000", reason: "invoice 7", operationId: "x" }, "Added $5.00: invoice 7"],
  ["token.create", null, { id: "tok_1", name: "ci", group: "default" }, "Created the key ci in the group default"],
  ["token.disable", { id: "tok_1" }, { id: "tok_1", disabled: true }, "Disabled the key tok_1"],
  [
    "token.set",
    { id: "tok_1", name: "ci", group: "default", models: ["a", "b"], budget: { perDay: "1000000000" } },
    { id: "tok_1", name: "ci", group: "team", budget: { perDay: "2500000000" } },
    "Changed the key ci: group: default → team, models: a, b → none, budget per day: $1.00 → $2.50",
  ],
  [
    "budget.set",
    { id: "bud_1", name: "Red", nanos: "1000000000", mode: "hard" },
    { id: "bud_1", name: "Red", nanos: "1500000000", mode: "soft" },
    "Changed the budget Red: nanos: $1.00 → $1.50, mode: hard → soft",
  ],
  ["operator.change", null, { name: "ada", role: "viewer" }, "Changed the operator ada: role: viewer"],
  [
    "configuration.save",
    { version: 3 },
    { version: 4, note: "a second key" },
    "Saved version 4 of the configuration. a second key",
  ],
  ["configuration.save", { version: 4 }, { version: 5 }, "Saved version 5 of the configuration."],
  ["vendor-key.forget", null, { channel: "groq" }, "vendor key forget: channel: groq"],
])("%s is a sentence", (action, before, after, sentence) => {
  expect(auditText({ action, before, after })).toBe(sentence);
});
