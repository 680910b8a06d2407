import { expect, test } from "vitest";
import { auditText as auditTextIn, type AuditAction } from "../src/api/audit-text.ts";
import { exactUsd } from "../src/format/money.ts";
import { auditText } from "../src/parts/audit-text.ts";
import { chinese } from "../src/texts/chinese.ts";

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
    { channel: "groq", keys: [{ id: "one", isOld: true, price: 6e-7 }] },
    "Recorded the action vendor-key.forget: channel groq; keys id one is old yes price 0.0000006",
  ],
  [null, "Recorded the action vendor-key.forget"],
])("an action of another version is shown with its changes: %j", (after, sentence) => {
  expect(auditText({ action: "vendor-key.forget", before: null, after })).toBe(sentence);
});

/** A sample of each action. Its names and ids have no lower-case letters, unlike fields and terms. */
const samples = {
  "account.create": { after: { name: "ACME", balanceNanos: "0" } },
  "account.set": { before: { name: "ACME", disabled: false }, after: { name: "LAB", disabled: true } },
  "credit.opening": { after: { nanos: "5000000000", reason: "GIFT", operationId: "1" } },
  "credit.top-up": { after: { nanos: "5000000000", reason: "INVOICE 7", operationId: "1" } },
  "credit.correction": { after: { nanos: "-500000000", reason: "TWICE", operationId: "1" } },
  "credit.refused": { before: { nanos: "-500000000", operationId: "1" }, after: { why: "TOO LOW" } },
  "token.create": { after: { id: "TOK_1", name: "CI", group: "G1", models: ["M1"], disabled: false, hint: "SK…1" } },
  "token.set": {
    before: { id: "TOK_1", name: "CI", group: "G1", disabled: false, models: ["M1", "M2"], rotateAfterDays: 30 },
    after: {
      id: "TOK_1",
      name: "CD",
      group: "G2",
      disabled: true,
      expiresAt: "2030-01-01T00:00:00Z",
      allowedAddresses: ["10.0.0.0/8"],
      budget: { perDay: "1000000000", perMonth: "2000000000", requestsPerDay: 100 },
      ofMember: true,
      within: { id: "TOK_2" },
    },
  },
  "token.disable": { before: { id: "TOK_1", disabled: false }, after: { id: "TOK_1", disabled: true } },
  "token.enable": { before: { id: "TOK_1", disabled: true }, after: { id: "TOK_1", disabled: false } },
  "token.expire": { before: { id: "TOK_1" }, after: { id: "TOK_1", expiresAt: "2030-01-01T00:00:00Z" } },
  "token.rotate": { before: { id: "TOK_1" }, after: { id: "TOK_1", previous: { hint: "SK…1" } } },
  "token.delete": { before: { id: "TOK_1", name: "CI" } },
  "budget.create": {
    after: {
      id: "BUD_1",
      name: "RED",
      scope: "account",
      period: "day",
      zone: "UTC",
      nanos: "1000000000",
      mode: "hard",
      rolloverNanos: "1",
      createdAt: "2026-01-01T00:00:00Z",
    },
  },
  "budget.set": {
    before: { id: "BUD_1", name: "RED", period: "week", nanos: "1000000000", mode: "hard" },
    after: { id: "BUD_1", name: "BLUE", period: "quarter", nanos: "2000000000", mode: "soft" },
  },
  "budget.delete": { before: { id: "BUD_1", name: "RED" } },
  "organisation.create": { after: { id: "ORG", name: "LAB" } },
  "organisation.set": { after: { organisation: "ORG", team: "", name: "LAB" } },
  "organisation.delete": { before: { organisation: "ORG", team: "" } },
  "team.create": { after: { organisation: "ORG", id: "T1", name: "RED" } },
  "team.set": { after: { organisation: "ORG", team: "T1", name: "RED" } },
  "team.delete": { before: { organisation: "ORG", team: "T1", releasedAccount: "ACME" } },
  "membership.set": { after: { organisation: "ORG", person: "ADA", team: "T1", role: "member" } },
  "alert-target.create": {
    after: { id: "ALT_1", account: "", kind: "slack", name: "CHAT", address: "HOOKS.EXAMPLE", alerts: ["budget"] },
  },
  "alert-target.delete": { before: { id: "ALT_1", kind: "slack", name: "CHAT", address: "HOOKS.EXAMPLE" } },
  "channel.disable": { after: { name: "GROQ/KEY_1", reason: "LEAKED" } },
  "channel.enable": { after: { name: "GROQ" } },
  "operator.create": { after: { name: "ADA", role: "viewer", account: null, disabled: false } },
  "operator.change": {
    after: { name: "ADA", role: "admin", account: "ACME", email: "A@B", password: "changed", disabled: true },
  },
  "operator-key.create": { after: { id: "OPK_1", name: "CI", role: "operator", hint: "MGO…1" } },
  "operator-key.delete": { after: { id: "OPK_1" } },
  "configuration.save": { before: { version: 1 }, after: { version: 2, note: "NOTE" } },
  "vendor-key.forget": { after: { name: "GROQ", disabled: true } },
} satisfies Record<AuditAction | "vendor-key.forget", Sample>;

interface Sample {
  readonly before?: object;
  readonly after?: object;
}

const entries: readonly (readonly [string, Sample])[] = Object.entries(samples);

test.each(entries)("the English sentence of %s has no names of fields, missing values or JSON", (action, sample) => {
  const sentence = auditText({ action, before: null, after: null, ...sample });
  expect(sentence).toMatch(/^[A-Z]/);
  expect(sentence).not.toMatch(/[{}"[\]]|undefined|null|NaN|[a-z][A-Z]|[:;,] *$| {2}/);
});

test.each(entries)("the Chinese sentence of %s has no English words", (action, sample) => {
  const dictionary: Readonly<Record<string, string>> = chinese;
  const word = (term: string): string => dictionary[term] ?? term;
  const text = (phrase: string, values: Readonly<Record<string, string>>): string =>
    word(phrase).replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "undefined");
  const sentence = auditTextIn({ action, before: null, after: null, ...sample }, { text, word, money: exactUsd });
  // The name of an unknown action stays as it is stored.
  expect(sentence.replace("vendor-key.forget", "")).not.toMatch(/[a-z{}"[\]]|[:：;,] *$/);
});
