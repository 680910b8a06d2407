import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actorHeader, signOperator } from "@modelgate/contracts/operator-credential";
import { startLocalSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";

const key = "sk-declared-0123456789abcdef";
let suite: Suite<LocalBackends>;
beforeAll(async () => {
  suite = await startLocalSuite({
    shape: "apart",
    config: {
      groups: { default: { models: ["*"] } },
      models: { chat: { kind: "chat", price: { input: 1, output: 1 } } },
      channels: [
        { id: "main", provider: "openai", baseUrl: "http://127.0.0.1:1/v1", keys: ["vendor-key"], models: ["chat"] },
      ],
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

interface AuditPage {
  readonly entries: readonly Entry[];
  readonly next: string | null;
}

/** Sends a request to control's API on behalf of a person. Returns the status and the data of the answer. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
async function operate<T>(path: string, body?: object): Promise<{ readonly status: number; readonly data: T }> {
  const credential = signOperator(suite.secret, Math.floor(Date.now() / 1_000) + 60);
  const answer = await fetch(suite.controlUrl + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${credential}`,
      "content-type": "application/json",
      [actorHeader]: encodeURIComponent("Jörg"),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { data }: { readonly data: T } = JSON.parse(await answer.text());
  return { status: answer.status, data };
}

async function entries(account = ""): Promise<readonly Entry[]> {
  const { data } = await operate<AuditPage>(`/audit${account && `?account=${account}`}`);
  return data.entries;
}

test("each change of accounts, tokens and balances is recorded with its author and the previous values, without secrets", async () => {
  await operate("/accounts", { id: "acme", balance: "5.00" });
  const topUp = { amount: "1.5", operationId: "a", reason: "invoice 7" };
  await operate("/accounts/acme/credits", topUp);
  expect((await operate("/accounts/acme/credits", topUp)).data).toMatchObject({ repeated: true });
  const { data: created } = await operate<{ id: string; key: string }>("/accounts/acme/tokens", { group: "default" });
  await operate(`/tokens/${created.id}/disable`, {});
  const found = await entries("acme");
  expect(found.map(({ action }) => action).sort()).toEqual([
    "account.create",
    "credit.top-up",
    "token.create",
    "token.disable",
  ]);
  const entryOf = (action: string): Entry | undefined => found.find((entry) => entry.action === action);
  expect(entryOf("token.disable")).toMatchObject({
    before: { disabled: false },
    after: { disabled: true, id: created.id },
  });
  expect(entryOf("credit.top-up")).toMatchObject({
    after: { nanos: "1500000000", reason: "invoice 7", operationId: "a" },
  });
  expect((await suite.gatectl("audit", "list", "acme")).stdout).toMatch(/ Jörg +acme +Added \$1\.50: invoice 7$/m);
  expect(new Set(found.map(({ actor }) => actor))).toEqual(new Set(["Jörg"]));
  expect((await entries("declared")).map(({ actor, action }) => `${actor} ${action}`).sort()).toEqual([
    "configuration account.create",
    "configuration token.create",
  ]);
  for (const secret of [created.key, key]) expect(JSON.stringify(await entries())).not.toContain(secret);
});

test("a correction that the balance does not cover leaves only its refusal", async () => {
  await operate("/accounts", { id: "poor", balance: "1.00" });
  expect((await operate("/accounts/poor/credits", { amount: "-2.00", reason: "too much" })).status).toBe(400);
  expect((await entries("poor")).map(({ action }) => action).sort()).toEqual([
    "account.create",
    "credit.correction",
    "credit.refused",
  ]);
  expect((await operate("/accounts/poor")).data).toMatchObject({ balanceNanos: "1000000000" });
  await until("the books to agree", async () => {
    const { data } = await operate<{ accounts: { ok: boolean }[] }>("/ledger/verification?account=poor");
    return data.accounts[0]?.ok;
  });
});

test("anchors are exported, and a saved export is verified", async () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-anchors-"));
  const file = join(folder, "anchors.json");
  expect(await suite.ask("ledger", "verify")).toMatchObject({ ok: true, common: { ok: true } });
  const anchors = await suite.ask<readonly { account: string; number: number }[]>("ledger", "anchors");
  expect(anchors.map(({ account }) => account)).toEqual(expect.arrayContaining(["", "acme", "declared"]));
  writeFileSync(file, JSON.stringify(anchors));
  expect(await suite.ask("ledger", "verify", "--anchors", file)).toMatchObject({ ok: true });
  // The anchor differs from the signed one.
  writeFileSync(file, JSON.stringify(anchors.map((anchor) => ({ ...anchor, number: anchor.number + 1 }))));
  const { status, stderr } = await suite.gatectl("ledger", "verify", "acme", "--anchors", file);
  expect(status).toBe(1);
  expect(stderr).toContain("MODELGATE_SECRET has signed");
  rmSync(folder, { recursive: true, force: true });
});

test("pages of the audit log have each entry once", async () => {
  const all = await operate<AuditPage>("/audit?limit=1000");
  const rows: Entry[] = [];
  for (let after = ""; ;) {
    const { data } = await operate<AuditPage>(`/audit?limit=2${after}`);
    rows.push(...data.entries);
    if (data.next === null) break;
    after = `&after=${data.next}`;
  }
  expect(rows.length).toBeGreaterThan(4);
  expect(rows).toEqual(all.data.entries);
});

test("switches of channels and their keys are recorded with their author", async () => {
  const { data: channels } = await operate<readonly { keys: readonly { id: string }[] }[]>("/channels");
  const key = channels[0]?.keys[0]?.id;
  await operate("/channels/main/disable", { reason: "leaked" });
  await operate("/channels/main/disable", { key });
  await operate("/channels/main/enable", {});
  const { data } = await operate<AuditPage>("/audit?limit=3");
  expect(data.entries.map(({ actor, action, after }) => [actor, action, after])).toEqual([
    ["Jörg", "channel.enable", { name: "main" }],
    ["Jörg", "channel.disable", { name: `main/${key}` }],
    ["Jörg", "channel.disable", { name: "main", reason: "leaked" }],
  ]);
});

test("without the ledger, accounts cannot be changed, and channels can be disabled", async () => {
  await suite.process("ledger").stop();
  expect((await operate("/accounts", { id: "late" })).status).toBe(503);
  expect((await operate("/channels/main/disable", {})).status).toBe(503);
  expect((await operate<readonly object[]>("/channels")).data).toMatchObject([{ id: "main", state: "disabled" }]);
  await suite.restart("ledger");
  await until("it to be made", async () => (await operate("/accounts", { id: "late" })).status === 200, 60_000);
});
