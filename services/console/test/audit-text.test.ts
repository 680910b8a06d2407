import { expect, test } from "vitest";
import { auditText } from "../src/parts/audit-text.ts";

test.each([
  ["account.create", null, { name: "acme", balanceNanos: "25000000000" }, "Created the account with $25.00"],
  [
    "account.set",
    { name: "acme", disabled: false },
    { name: "Acme", disabled: true },
    "Changed the account: name from acme to Acme; disabled from no to yes",
  ],
  ["credit.top-up", null, { nanos: "5000000000", reason: "invoice 7", operationId: "x" }, "Added $5.00: invoice 7"],
  ["token.create", null, { id: "tok_1", name: "ci", group: "default" }, "Created the key ci in the group default"],
  ["token.disable", { id: "tok_1" }, { id: "tok_1", disabled: true }, "Disabled the key tok_1"],
  [
    "token.set",
    { id: "tok_1", name: "ci", group: "default", models: ["a", "b"], budget: { perDay: "1000000000" } },
    { id: "tok_1", name: "ci", group: "team", budget: { perDay: "2500000000" } },
    "Changed the key ci: group from default to team; models from a, b to none; budget per day from $1.00 to $2.50",
  ],
  ["token.set", { id: "tok_1" }, { id: "tok_1", within: { id: "tok_2" } }, "Changed the key tok_1"],
  [
    "budget.create",
    null,
    { id: "bud_1", name: "Red", scope: "team:red", period: "day", nanos: "1000000000", mode: "hard" },
    "Created the budget Red: scope team:red; period day; amount $1.00; mode hard",
  ],
  [
    "budget.set",
    { id: "bud_1", name: "Red", nanos: "1000000000", mode: "hard" },
    { id: "bud_1", name: "Red", nanos: "1500000000", mode: "soft" },
    "Changed the budget Red: amount from $1.00 to $1.50; mode from hard to soft",
  ],
  ["organisation.set", null, { organisation: "org", team: "", name: "Lab" }, "Renamed the organisation org to Lab"],
  ["team.delete", { organisation: "org", team: "red" }, null, "Deleted the team red of the organisation org"],
  [
    "membership.set",
    null,
    { organisation: "org", person: "ada", team: "red", role: "member" },
    "Set the role of ada in red to member",
  ],
  [
    "membership.set",
    null,
    { organisation: "org", person: "ada", team: "", role: null },
    "Set the role of ada in org to none",
  ],
  ["operator.change", null, { name: "ada", role: "viewer", account: null }, "Changed the operator ada: role viewer"],
  [
    "configuration.save",
    { version: 3 },
    { version: 4, note: "a second key" },
    "Saved version 4 of the configuration. a second key",
  ],
  ["configuration.save", { version: 4 }, { version: 5 }, "Saved version 5 of the configuration."],
])("%s is a sentence", (action, before, after, sentence) => {
  expect(auditText({ action, before, after })).toBe(sentence);
});

test.each([
  [
    { channel: "groq", keys: [{ id: "one", isOld: true }] },
    "Recorded the action vendor-key.forget: channel groq; keys id one is old yes",
  ],
  [null, "Recorded the action vendor-key.forget"],
])("an action of another version is shown with its changes: %j", (after, sentence) => {
  expect(auditText({ action: "vendor-key.forget", before: null, after })).toBe(sentence);
});
