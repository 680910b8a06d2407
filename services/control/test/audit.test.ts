import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocalSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";

const key = "sk-declared-0123456789abcdef";
let suite: Suite<LocalBackends>;
beforeAll(async () => {
  suite = await startLocalSuite({
    config: {
      groups: { default: { models: ["*"] } },
      models: { chat: { kind: "chat", price: { input: 1, output: 1 } } },
      channels: [],
      accounts: { declared: { balance: "1.00", tokens: [{ key, group: "default" }] } },
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

interface Entry {
  readonly account: string;
  readonly actor: string;
  readonly action: string;
  readonly before: unknown;
  readonly after: unknown;
}

const entries = (...words: readonly string[]) => suite.ask<readonly Entry[]>("audit", "list", ...words);

test("each change of accounts, tokens and balances says who made it, and what was there before, without a secret", async () => {
  await suite.ask("account", "create", "acme", "--balance", "5.00");
  await suite.ask("account", "top-up", "acme", "1.5", "--operation-id", "a", "--reason", "invoice 7");
  await suite.ask("account", "top-up", "acme", "1.5", "--operation-id", "a");
  const made = await suite.ask<{ id: string; key: string }>("token", "create", "acme", "--group", "default");
  await suite.ask("token", "disable", made.id);
  const found = await entries("acme");
  expect(found.map(({ action }) => action)).toEqual([
    "token.disable",
    "token.create",
    "credit.top-up",
    "account.create",
  ]);
  expect(found[0]).toMatchObject({ before: { disabled: false }, after: { disabled: true, id: made.id } });
  expect(found[2]).toMatchObject({ after: { nanos: "1500000000", reason: "invoice 7", operationId: "a" } });
  expect(new Set(found.map(({ actor }) => actor)).size).toBe(1);
  expect((await entries("declared")).map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    "configuration token.create",
    "configuration account.create",
  ]);
  for (const secret of [made.key, key]) expect(JSON.stringify(await entries())).not.toContain(secret);
}, 120_000);

test("a correction that the balance does not cover leaves nothing but its refusal", async () => {
  await suite.ask("account", "create", "poor", "--balance", "1.00");
  const refused = await suite.gatectl("account", "correct", "poor", "-2.00", "--reason", "too much");
  expect(refused.status).toBe(1);
  expect((await entries("poor")).map(({ action }) => action)).toEqual([
    "credit.refused",
    "credit.correction",
    "account.create",
  ]);
  expect(await suite.ask("account", "show", "poor")).toMatchObject({ balanceNanos: "1000000000" });
  const verified = await until("the books to agree", async () => {
    const { stdout } = await suite.gatectl("ledger", "verify", "poor", "--json");
    const { ok }: { ok: boolean } = JSON.parse(stdout);
    return ok;
  });
  expect(verified).toBe(true);
}, 120_000);

test("accounts are changed once the ledger is back, and not without it", async () => {
  await suite.process("ledger").stop();
  const { status, stderr } = await suite.gatectl("account", "create", "late");
  expect([status, stderr]).toEqual([1, expect.stringContaining("ledger")]);
  await suite.restart("ledger");
  await until("it to be made", async () => (await suite.gatectl("account", "create", "late")).status === 0);
}, 120_000);
