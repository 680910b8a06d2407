import { spawnSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseUsd } from "@modelgate/contracts";
import { builtProgram, startSuite, until, type Suite } from "@modelgate/testkit";

const key = "sk-configured-0123456789abcdef";
const payerKey = "sk-payer-0123456789abcdef";
const vendorKey = "vendor-secret-canary-998877";
const config = {
  groups: { default: { models: ["*"] } },
  models: {
    chat: { kind: "chat", price: { input: 1, output: 1 } },
    free: { kind: "chat" },
    "gpt-5-nano": { kind: "chat" },
  },
  channels: [
    {
      id: "main",
      provider: "openai",
      baseUrl: "${SIMULATOR_URL}/openai/v1",
      keys: [vendorKey],
      models: ["chat", "free", "gpt-5-nano"],
    },
    {
      id: "unset",
      provider: "openai",
      baseUrl: "https://vendor.example/v1",
      keys: ["env:NO_SUCH_VARIABLE"],
      models: ["chat"],
    },
  ],
  accounts: {
    demo: { balance: "1.00", tokens: [{ key, group: "default" }] },
    payer: { balance: "1.00", tokens: [{ key: payerKey, group: "default" }] },
  },
};

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ shape: "apart", config });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** Runs gatectl in a separate process. */
function spawned(...words: readonly string[]) {
  const env = { ...process.env, CONTROL_URL: suite.controlUrl, MODELGATE_SECRET: suite.secret };
  return spawnSync(process.execPath, [builtProgram("gatectl"), ...words], { env, encoding: "utf8" });
}

describe("gatectl", () => {
  test("a model is shown with the source and the date of each price", async () => {
    expect(await suite.ask("model", "show", "chat")).toMatchObject({
      name: "chat",
      choice: "weighted",
      price: [
        {
          field: "input",
          dollars: 1,
          per: "million tokens",
          from: "configuration",
          day: expect.stringMatching(/^\d{4}-/),
        },
        { field: "output", dollars: 1, from: "configuration" },
        { field: "cachedInput", dollars: 1, from: "charged as input", day: null },
        ...Array.from({ length: 6 }, () => ({ from: expect.stringMatching(/^charged as (?:in|out)put$/) })),
      ],
      channels: [
        { id: "main", provider: "openai", upstreamModel: "chat" },
        { id: "unset", provider: "openai", upstreamModel: "chat" },
      ],
    });
    expect(await suite.ask("model", "show", "gpt-5-nano")).toMatchObject({
      contextTokens: 400_000,
      price: expect.arrayContaining([
        {
          field: "output",
          dollars: 0.4,
          per: "million tokens",
          from: "@pydantic/genai-prices 0.1.8: openai/gpt-5-nano",
          day: "2026-09-23",
        },
      ]),
    });
    expect((await suite.gatectl("model", "show", "chat")).stdout).toMatch(
      /^cachedInput +\$1 per million tokens +charged/m,
    );
    expect(spawned("model", "show", "no-such-model").stderr).toContain("There is no model");
  });

  test("accounts are created, listed, topped up and corrected, once per operation", async () => {
    expect(await suite.ask("account", "create", "acme", "--balance", "5.00")).toMatchObject({
      id: "acme",
      balanceNanos: "5000000000",
      heldNanos: "0",
    });
    await suite.ask("account", "top-up", "acme", "1.5", "--operation-id", "a");
    await suite.ask("account", "top-up", "acme", "1.5", "--operation-id", "a");
    expect(await suite.ask("account", "correct", "acme", "-0.50", "--reason", "-0.50 billed twice")).toMatchObject({
      balanceNanos: "6000000000",
    });
    expect(await suite.ask("account", "show", "acme")).toMatchObject({
      credits: expect.arrayContaining([expect.objectContaining({ reason: "-0.50 billed twice", nanos: "-500000000" })]),
    });
    expect(await suite.ask("account", "list")).toMatchObject([{ id: "acme" }, { id: "demo" }, { id: "payer" }]);
  });

  test("a token's key is shown once and not stored", async () => {
    const created = await suite.ask<{ id: string; key: string }>(
      "token",
      "create",
      "acme",
      "--group",
      "default",
      "--models",
      "chat",
      "--expires",
      "2030-01-01T00:00:00Z",
    );
    expect(created.key).toMatch(/^sk-[\w-]{40,}$/);
    const listed = await suite.ask<object[]>("token", "list", "acme");
    expect(listed).toMatchObject([
      { id: created.id, models: ["chat"], expiresAt: "2030-01-01T00:00:00.000Z", disabled: false },
    ]);
    expect(JSON.stringify(listed)).not.toContain(created.key);
    expect(await suite.ask("token", "disable", created.id)).toMatchObject({ disabled: true });
    expect(await suite.ask("token", "enable", created.id)).toMatchObject({ disabled: false });
    expect(await suite.ask("token", "show", created.id)).toMatchObject({ id: created.id });
    const kept = await everythingIn(suite.backends.redisUrl);
    for (const secret of [created.key, key, vendorKey]) expect(kept).not.toContain(secret);
    for (const name of ["edge", "text", "control"] as const) {
      for (const secret of [created.key, key, vendorKey]) expect(suite.process(name).logs()).not.toContain(secret);
    }
  });

  test("a call is found in the usage log by each of its ids, exported, and the books are valid", async () => {
    const statusOfCall = async (requestId: string): Promise<number> => {
      const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${payerKey}`, "content-type": "application/json", "x-request-id": requestId },
        body: JSON.stringify({ model: "chat", max_tokens: 10, messages: [{ role: "user", content: "Hello" }] }),
      });
      return answer.status;
    };
    for (const at of [1, 2, 3]) expect(await statusOfCall(`logged-request-${at}`)).toBe(200);
    type Page = { events: Record<string, unknown>[]; next: string | null };
    const list = (...words: readonly string[]) => suite.ask<Page>("usage", "list", ...words);
    const all = await until("three events", async () => {
      const page = await list("--account", "payer");
      return page.events.length === 3 && page.events;
    });
    expect(all.map(({ requestId }) => requestId)).toEqual(["logged-request-3", "logged-request-2", "logged-request-1"]);
    const [event = {}] = (await list("--request-id", "logged-request-2")).events;
    expect(event).toMatchObject({ requestId: "logged-request-2", receipt: { number: 3 }, model: "chat" });
    expect(event["priceVersion"]).toMatch(/^[0-9a-f]{12}$/);
    const { tokenId } = event;
    for (const [words, count] of [
      [["--token", String(tokenId), "--model", "chat", "--channel", "main"], 3],
      [["--token", "tok_other"], 0],
      [["--account", "payer", "--status", "200", "--outcome", "completed"], 3],
      [["--status", "502"], 0],
      [["--outcome", "failed"], 0],
      [["--from", "2020-01-01", "--to", "2020-01-31"], 0],
    ] as const)
      expect((await list(...words)).events).toHaveLength(count);
    const first = await list("--limit", "2");
    expect(first.events).toHaveLength(2);
    expect((await list("--limit", "2", "--after", first.next ?? "")).events).toMatchObject([
      { requestId: "logged-request-1" },
    ]);
    const file = `${process.env["TMPDIR"] ?? "/tmp"}/modelgate-export-${process.pid}.ndjson`;
    await suite.ask("usage", "export", "--format", "ndjson", "--out", file);
    const exported = readFileSync(file, "utf8").trim().split("\n");
    expect(exported.map((line) => JSON.parse(line).requestId)).toEqual(
      all.map(({ requestId }) => requestId).toReversed(),
    );
    expect(await suite.ask("usage", "--by", "outcome,hour", "--account", "payer")).toMatchObject([
      {
        by: { outcome: "completed", hour: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00.000Z$/) },
        sums: { calls: "3" },
      },
    ]);
    expect((await suite.gatectl("usage", "export")).stdout.split("\r\n")).toHaveLength(5);
    await expectReports("payer");
    expect(await suite.ask("ledger", "verify", "payer")).toMatchObject({ ok: true, accounts: [{ from: 1, to: 4 }] });
  });

  /** Checks that the reports of the month add up to an account's cost. */
  async function expectReports(account: string): Promise<void> {
    const month = ["--period", "this-month", "--account", account];
    const [total] = await suite.ask<{ sums: Record<string, string> }[]>("usage", "--by", "account", ...month);
    const spent = total?.sums["costNanos"] ?? "none";
    const rowsOf = async (...words: readonly string[]) => {
      const [head = "", ...lines] = (await suite.gatectl("usage", ...words, ...month)).stdout.trim().split("\r\n");
      const names = head.split(",");
      return lines.map((line) => Object.fromEntries(line.split(",").map((cell, at) => [names[at], cell])));
    };
    const charges = await rowsOf("export", "--format", "focus");
    expect(charges).toMatchObject([{ BillingAccountId: account, PricingQuantity: "3", SkuId: "chat" }]);
    expect(parseUsd(charges[0]?.["BilledCost"] ?? "").toString()).toBe(spent);
    expect(await rowsOf("chargeback", "--by", "tag:team")).toMatchObject([{ "tag:team": "", costNanos: spent }]);
    const forecast = await suite.ask<{ forecastNanos: string }>("usage", "forecast", "--account", account);
    expect(forecast).toMatchObject({ spentNanos: spent });
    expect(BigInt(forecast.forecastNanos)).toBeGreaterThanOrEqual(BigInt(spent));
    expect((await suite.gatectl("usage", "--period", "next-month")).stderr).toContain("period must be one of");
  }

  test("a token's budget is set, enforced, and removed", async () => {
    const [{ id = "" } = {}] = await suite.ask<{ id?: string }[]>("token", "list", "payer");
    const call = async () => {
      const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${payerKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "chat", max_tokens: 1000, messages: [{ role: "user", content: "Hello" }] }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    expect(await suite.ask("token", "set", id, "--dollars-per-day", "0.0005")).toMatchObject({
      budget: { perDay: "500000" },
    });
    const refused = await until("the budget to be known", async () => {
      const answer = await call();
      return answer.status === 402 && answer;
    });
    expect(refused.text).toContain("is $0.0005 per day");
    await suite.ask("token", "set", id, "--dollars-per-day", "none");
    await until("the budget to be gone", async () => (await call()).status === 200);
    expect(await suite.ask("token", "show", id)).not.toHaveProperty("budget");
    expect(await suite.ask("token", "set", id, "--requests-per-day", "7", "--rotate-after-days", "90")).toMatchObject({
      budget: { requestsPerDay: 7 },
      rotateAfterDays: 90,
      rotationDueAt: expect.any(String),
    });
    expect((await suite.gatectl("token", "show", id)).stdout).toMatch(/BUDGET +7 requests a day\nROTATION DUE +20/);
    await suite.ask("token", "set", id, "--requests-per-day", "none", "--rotate-after-days", "none");
    const plain = await suite.ask("token", "show", id);
    for (const name of ["budget", "rotateAfterDays", "rotationDueAt"]) expect(plain).not.toHaveProperty(name);
    expect((await suite.gatectl("token", "set", id, "--rotate-after-days", "soon")).stderr).toMatch(/from 1 to 365/);
  });

  test("a budget of a tag refuses the tag's calls immediately, is changed and deleted, and is listed with a key's", async () => {
    const call = async (tag: string) => {
      const headers = { authorization: `Bearer ${payerKey}`, "content-type": "application/json" };
      const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
        method: "POST",
        headers: { ...headers, "x-modelgate-tags": tag },
        body: JSON.stringify({ model: "chat", max_tokens: 1000, messages: [{ role: "user", content: "Hello" }] }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const [{ id: key = "" } = {}] = await suite.ask<{ id?: string }[]>("token", "list", "payer");
    await suite.ask("token", "set", key, "--dollars-per-month", "1");
    const budgetCommand = [
      "budget",
      "create",
      "payer",
      "--scope",
      "tag:team=red",
      "--period",
      "month",
      "--amount",
      "0.0005",
    ];
    const { id, ...created } = await suite.ask<{ id: string }>(
      ...budgetCommand,
      "--zone",
      "asia/tokyo",
      "--name",
      "Red",
    );
    const resetsAt = expect.stringMatching(/T15:00:00\.000Z$/);
    const shown = { scope: "tag:team=red", period: "month", zone: "Asia/Tokyo", mode: "hard", name: "Red", resetsAt };
    expect(created).toMatchObject({ ...shown, nanos: "500000", usedNanos: "0", remainingNanos: "500000" });

    const refused = await call("team=red");
    expect(refused.status).toBe(402);
    expect(refused.text).toContain("tag team=red is $0.0005 per month");
    expect(refused.text).toContain(id);
    expect((await call("team=blue")).status).toBe(200);
    await suite.ask("budget", "set", "payer", id, "--mode", "soft");
    expect((await call("team=red")).status).toBe(200);
    const own = { id: `month:key:${key}`, setWith: "key", nanos: "1000000000" };
    expect(await suite.ask("budget", "list", "payer")).toMatchObject([{ id, mode: "soft" }, own]);
    expect((await suite.gatectl("budget", "list", "payer")).stdout).toContain("month Asia/Tokyo");
    await suite.ask("budget", "set", "payer", id, "--mode", "hard", "--amount", "0");
    expect((await call("team=red")).status).toBe(402);
    await suite.ask("budget", "delete", "payer", id);
    expect((await call("team=red")).status).toBe(200);
    await suite.ask("token", "set", key, "--dollars-per-month", "none");
    expect(await suite.ask("budget", "list", "payer")).toEqual([]);
  });

  test("a target of alerts is added, tested, listed without its secrets, and removed", async () => {
    const hook = "http://127.0.0.1:9/TOPSECRET";
    const add = ["alert", "target", "add", "--kind", "webhook", "--url", hook, "--alerts", "budget,balance-low"];
    const { id, secret } = await suite.ask<{ id: string; secret: string }>(...add);
    expect(secret).toMatch(/^whsec_/);
    // The ledger could decrypt the address, where nothing listens.
    const tested = await suite.gatectl("alert", "target", "test", id);
    expect(tested.stdout).toContain("not delivered: it cannot be reached");
    const listed = (await suite.gatectl("alert", "target", "list")).stdout;
    expect(listed).toContain(id);
    expect(listed).toContain("127.0.0.1:9");
    expect(listed).not.toMatch(/TOPSECRET|whsec_/);
    await suite.ask("alert", "target", "remove", id);
    expect(await suite.ask("alert", "target", "list")).toEqual([]);
    const headers = { authorization: `Bearer ${payerKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "free", messages: [{ role: "user", content: "Hello" }] });
    await fetch(`${suite.edgeUrl}/v1/chat/completions`, { method: "POST", headers, body });
    const alerts = () => suite.ask<{ kind: string; subject: string }[]>("alert", "list", "--kind", "unpriced-use");
    const found = await until("the alert", async () =>
      (await alerts()).find(({ subject }) => subject.startsWith("free ")),
    );
    expect(found).toMatchObject({ kind: "unpriced-use", deliveries: [] });
  });

  test.each([
    [["--scope", "account", "--period", "month", "--amount", "1"], "zone is missing: a month begins at midnight"],
    [
      ["--scope", "account", "--period", "day", "--amount", "1", "--zone", "+02:00"],
      "zone must be the name of a time zone",
    ],
    [["--scope", "account", "--period", "total", "--amount", "1", "--zone", "UTC"], "zone must be absent"],
    [["--scope", "account", "--period", "total", "--amount", "1", "--rollover-cap", "1"], "rolloverCap must be absent"],
    [["--scope", "account", "--period", "year", "--amount", "1"], "period must be one of day, week"],
    [["--scope", "account", "--period", "total", "--amount", "-1"], "amount must not be negative"],
    [["--scope", "team:red", "--period", "total", "--amount", "1"], "The account payer pays for no team"],
    [["--scope", "account:x", "--period", "total", "--amount", "1"], "scope must be account, organisation:ID"],
    [["--scope", "constructor:x", "--period", "total", "--amount", "1"], "scope must be account, organisation:ID"],
    [["--scope", "hasOwnProperty:x", "--period", "total", "--amount", "1"], "scope must be account, organisation:ID"],
    [["--scope", "key:tok_none", "--period", "total", "--amount", "1"], "scope must name a key of the account"],
    [["--scope", "model:none", "--period", "total", "--amount", "1"], "There is no model"],
    [["--scope", "group:none", "--period", "total", "--amount", "1"], "There is no group"],
    [["--scope", "tag:team", "--period", "total", "--amount", "1"], "scope must name one tag and its value"],
  ])("a budget with %j is refused", async (options, message) => {
    const { status, stderr } = await suite.gatectl("budget", "create", "payer", ...options);
    expect(stderr).toContain(message);
    expect(status).toBe(1);
  });

  test("a second budget of a scope and period is refused, even if the first one belongs to a key", async () => {
    const budgetCommand = ["budget", "create", "payer", "--period", "day", "--zone", "UTC", "--amount", "1", "--scope"];
    const make = (scope: string) => suite.gatectl(...budgetCommand, scope);
    const { id } = await suite.ask<{ id: string }>(...budgetCommand, "model:chat");
    expect((await make("model:chat")).stderr).toContain(`The budget ${id} already has this scope and period`);
    await suite.ask("budget", "delete", "payer", id);
    const [{ id: key = "" } = {}] = await suite.ask<{ id?: string }[]>("token", "list", "payer");
    await suite.ask("token", "set", key, "--dollars-per-day", "1");
    expect((await make(`key:${key}`)).stderr).toContain("The key already has a budget for each day");
    await suite.ask("token", "set", key, "--dollars-per-day", "none");
    const keys = await suite.ask<{ id: string }>(...budgetCommand, `key:${key}`);
    const both = await suite.gatectl("token", "set", key, "--dollars-per-day", "1");
    expect(both.stderr).toContain(`The account's budget ${keys.id} already limits this key for each day`);
    await suite.ask("budget", "delete", "payer", keys.id);
  });

  test("channels are shown with their state and its reason", async () => {
    expect(await suite.ask("channels")).toMatchObject([
      { id: "main", state: "ok" },
      { id: "unset", state: "off", reason: "NO_SUCH_VARIABLE is not set" },
    ]);
    expect(await suite.ask("channel", "disable", "main", "--reason", "maintenance")).toMatchObject({
      state: "disabled",
      reason: "maintenance",
    });
    expect(await suite.ask("channels", "enable", "main")).toMatchObject({ state: "ok" });
    expect(await suite.ask("channel", "test", "main")).toMatchObject({ ok: true, status: 200 });
  });

  test.each([
    [["account", "show", "absent"], 1, /no account "absent"/],
    [["account", "top-up", "acme", "-1"], 2, /AMOUNT must be US dollars/],
    [["account", "correct", "acme", "-1000", "--reason", "x"], 1, /available balance is lower/],
    [["account", "top-up", "acme", "2000000000"], 1, /amount must be at most 1000000000\.00 US dollars/],
    [["account", "correct", "acme", "1"], 2, /--reason is missing/],
    [["account", "create", "acme"], 1, /exists/],
    [["account", "create", "no spaces please"], 1, /id must be/],
    [["token", "create", "acme", "--group", "nowhere"], 1, /no group "nowhere"; there are default/],
    [["token", "disable", "tok_none"], 1, /no token/],
    [["channel", "show", "nowhere"], 1, /no channel/],
    [["usage", "--by", "colour"], 1, /by must be one of account/],
    [["usage", "list", "--limit", "0"], 1, /limit must be/],
    [["usage", "list", "--status", "bad"], 1, /status must be an HTTP status/],
    [["usage", "list", "--outcome", "well"], 1, /outcome must be one of completed, cancelled, failed/],
    [["usage", "list", "--after", "x"], 1, /after must be/],
    [["usage", "list", "--from", "soon"], 1, /from must be/],
    [["usage", "--to", "2020-01-01"], 1, /from .* must not be after to/],
    [["usage", "export", "--out", "/no/such/folder/usage.csv"], 1, /was interrupted: ENOENT/],
    [["usage", "export", "--format", "xml", "--out", "/dev/null"], 1, /csv, ndjson or focus/],
    [["usage", "export"], 2, /--json needs --out/],
    [["token", "set", "tok_none"], 2, /nothing to change/],
    [["token", "set", "tok_none", "--dollars-per-day", "x"], 1, /no token/],
    [["ledger", "verify", "absent"], 1, /no account "absent"/],
    [["account", "fly"], 2, /no command "account fly"/],
    [["account", "show", "demo", "--colour"], 2, /Unknown option/],
  ])("%j fails with one clear message and nothing on stdout", async (words, status, message) => {
    const answer = await suite.gatectl(...words, "--json");
    expect(answer).toMatchObject({ status, stdout: "" });
    const { error }: { readonly error: { readonly message: string } } = JSON.parse(answer.stderr);
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/at .*\.ts:|Example:/);
  });

  test("every command has a help text, and prints tables", async () => {
    const overview = await suite.gatectl("--help");
    const commands = [
      ...overview.stdout.matchAll(
        /^ {2}((?:account|alert|audit|budget|channel|config|ledger|model|operator|org|team|token|usage)[a-z-]*(?: [a-z-]+){0,2}) {2}/gm,
      ),
    ].map(([, name]) => name ?? "");
    expect(commands.length).toBeGreaterThan(45);
    for (const name of ["alert target add", "budget create", "org invite", "team rename"])
      expect(commands).toContain(name);
    for (const command of commands)
      expect((await suite.gatectl(...command.split(" "), "--help")).stdout).toMatch(
        new RegExp(`Example: (?:echo .* )?gatectl ${command}`),
      );
    expect((await suite.gatectl("account", "show", "demo")).stdout).toMatch(/^ACCOUNT +BALANCE.*\ndemo +\$1\.00/);
  });

  test("as a process it exits with the command's status, its output on stdout and errors on stderr", async () => {
    const [fine, wrong] = [spawned("account", "show", "demo", "--json"), spawned("account", "fly", "--json")];
    expect(fine).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(fine.stdout)).toMatchObject({ id: "demo" });
    expect(wrong).toMatchObject({ status: 2, stdout: "" });
    expect(JSON.parse(wrong.stderr)).toMatchObject({ error: { message: expect.stringContaining("account fly") } });
    const refused = await suite.gatectl("account", "show", "absent", "--json");
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: "unknown_url" } });
    expect((await suite.gatectl("account", "fly")).stderr).toContain("Every command takes --json");
  });
});

describe("the configuration", () => {
  const answer = () =>
    fetch(`${suite.edgeUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } }).then(async (response) =>
      JSON.stringify(await response.json()),
    );

  test("a valid change takes effect without a restart; an invalid one is refused with its paths and changes nothing", async () => {
    expect(await answer()).toContain('"chat"');
    suite.configure({
      ...config,
      models: { ...config.models, extra: { kind: "chat" } },
      channels: [{ ...config.channels[0], models: ["chat", "extra"] }],
    });
    await until("the new model to be listed", async () => (await answer()).includes('"extra"'));
    suite.configure({ ...config, models: { chat: { kind: "chatty" } } });
    await until("the refusal to be logged", () =>
      suite.process("control").logs().includes("models.chat.kind must be one of"),
    );
    expect(await answer()).toContain('"extra"');
    suite.configure("groups: [unclosed");
    await until("the refusal to be logged", () => suite.process("control").logs().includes("line 1"));
    expect(await answer()).toContain('"extra"');
    suite.configure(config);
    await until("the old list", async () => !(await answer()).includes('"extra"'));
  });

  test("a vendor's key is rotated in its file without a change of the configuration or a restart; a missing file removes no key", async () => {
    const file = `${process.env["TMPDIR"] ?? "/tmp"}/modelgate-key-${process.pid}`;
    const rotate = (secret: string) => {
      writeFileSync(`${file}.new`, `${secret}\n`);
      renameSync(`${file}.new`, file);
    };
    const used = async () => {
      await suite.simulator.forget("rotated");
      const called = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "rotated", messages: [{ role: "user", content: "Hello" }] }),
      });
      await called.text();
      return (await suite.simulator.requests("rotated"))[0]?.headers["authorization"];
    };
    rotate("key-one");
    const rotated = {
      ...config,
      models: { ...config.models, rotated: { kind: "chat" } },
      channels: [
        ...config.channels,
        {
          id: "rotated",
          provider: "openai",
          baseUrl: "${SIMULATOR_URL}/at/rotated/openai/v1",
          keys: [`file:${file}`],
          models: ["rotated"],
        },
      ],
    };
    suite.configure(rotated);
    await until("the key to be used", async () => (await used()) === "Bearer key-one");
    rotate("key-two");
    await until("the next key to be used", async () => (await used()) === "Bearer key-two");
    rmSync(file);
    await until("it to be missed", () => suite.process("control").logs().includes("the last valid keys stay"));
    expect(await used()).toBe("Bearer key-two");
    // Key files are read again even while the configuration file is invalid.
    suite.configure({ ...rotated, models: {} });
    await until("the refusal to be logged", () => suite.process("control").logs().includes("channels[2].models[0]"));
    rotate("key-three");
    await until("the last key to be used", async () => (await used()) === "Bearer key-three");
    expect(suite.process("control").logs()).not.toMatch(/key-(one|two|three)/);
    suite.configure(config);
    await until("the old list", async () => !(await answer()).includes('"rotated"'));
  });

  test("accounts and tokens are not overwritten by a restart", async () => {
    await suite.ask("account", "top-up", "demo", "2.00");
    await suite.process("control").stop();
    await suite.restart("control");
    expect(await suite.ask("account", "show", "demo")).toMatchObject({ balanceNanos: "3000000000" });
  });

  test("config check reports errors and warnings, without a server", async () => {
    const file = `${process.env["TMPDIR"] ?? "/tmp"}/modelgate-check-${process.pid}.yaml`;
    writeFileSync(`${file}.new`, JSON.stringify(config));
    renameSync(`${file}.new`, file);
    const good = JSON.parse((await suite.gatectl("config", "check", file, "--json")).stdout);
    expect(good).toMatchObject({ ok: true, problems: [] });
    expect(good.warnings.map(({ path }: { path: string }) => path)).toEqual([
      "models.chat.price.cachedInput",
      "models.free.price",
      "channels[0]",
      "channels[1]",
    ]);
    writeFileSync(
      file,
      JSON.stringify({ ...config, channels: [{ ...config.channels[0], provider: "acme", models: ["nowhere"] }] }),
    );
    const wrong = await suite.gatectl("config", "check", file, "--json");
    expect(wrong.status).toBe(1);
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      ok: false,
      problems: [{ path: "channels[0].models[0]" }, { path: "channels[0].provider" }],
    });
  });

  test("the operator's API accepts no request without the secret", async () => {
    for (const authorization of ["", "Bearer operator.9999999999.forged", `Bearer ${key}`]) {
      const answer = await fetch(`${suite.controlUrl}/accounts`, { headers: { authorization } });
      expect(answer.status).toBe(401);
    }
  });
});

async function everythingIn(url: string): Promise<string> {
  const redis = new Redis(url);
  const found: string[] = [];
  for (const name of await redis.keys("*")) {
    const type = await redis.type(name);
    const value =
      type === "hash"
        ? await redis.hgetall(name)
        : type === "set"
          ? await redis.smembers(name)
          : type === "stream"
            ? await redis.xrange(name, "-", "+")
            : type === "string"
              ? await redis.get(name)
              : [];
    found.push(name, JSON.stringify(value));
  }
  redis.disconnect();
  return found.join("\n");
}
