import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, wavHead, type Suite } from "@modelgate/testkit";
import { browserProgram, launchBrowser } from "./browser.ts";
import { buildConsole, visit, visitSignedIn } from "./console-browser.ts";
import { channel, config as house, hello, keys, post } from "./house.ts";
import { quick } from "./films.ts";

const program = browserProgram();
/** What is loaded before the first page can be used, compressed. */
const maxBytes = 300_000;

const config = {
  ...house,
  models: {
    ...house.models,
    film: { kind: "video", price: { second: 0.1 } },
    voice: { kind: "speech", price: { character: 0.000015 } },
    ears: { kind: "transcription", price: { second: 0.0001 } },
    talk: { kind: "realtime", price: { input: 4, output: 16, inputAudio: 32, outputAudio: 64 } },
    twice: { kind: "chat", price: { input: 2.5, output: 10 } },
    wordy: { kind: "chat", price: { input: 2.5, output: 10 } },
    claude: { kind: "chat", price: { input: 3, output: 15 } },
  },
  channels: [
    ...house.channels,
    channel("films", ["film"]),
    channel("sounds", ["voice", "ears", "talk"]),
    channel("shaky", ["twice"], { priority: 1 }),
    channel("steady", ["twice"]),
    channel("broken", ["wordy"]),
    channel("unset", ["wordy"], { baseUrl: "https://${UNSET_HOST}/v1", keys: ["env:UNSET_API_KEY"] }),
    channel(
      "claudes",
      { claude: "demo-claude" },
      { provider: "anthropic", baseUrl: "${SIMULATOR_URL}/at/claudes/anthropic" },
    ),
  ],
};

describe.skipIf(program === undefined)("pages of the console", { timeout: 120_000 }, () => {
  let suite: Suite;
  let browser: Browser;
  beforeAll(async () => {
    buildConsole();
    suite = await startSuite({ shape: "apart", config, limits: quick });
    browser = await launchBrowser(program ?? "");
    await until("a first call", async () => (await post(suite, hello("chat"))).status === 200);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await suite?.[Symbol.asyncDispose]();
  });

  test("a call's page shows its hold, each attempt, the first byte, what was dropped, and the settlement", async () => {
    await suite.simulator.script("shaky", [{ status: 500 }]);
    const answer = await post(suite, { ...hello("twice"), stream: false });
    expect(answer.status).toBe(200);
    const requestId = answer.headers.get("x-request-id") ?? "";
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    const way = page.getByRole("table", { name: "Timeline" });
    await until("the call to be in the books", async () => {
      await page.goto(`${suite.controlUrl}/console/calls/${requestId}`);
      await page.getByRole("heading", { name: "Call", exact: true }).waitFor();
      await until("the page", async () => (await page.getByLabel("Loading").count()) === 0);
      return (await way.count()) === 1;
    });
    const rows = await way.getByRole("row").allTextContents();
    expect(rows).toEqual([
      expect.stringMatching(/^held\$/),
      expect.stringMatching(/^attempt 1shaky \/ .*upstream_error 500.* ms$/),
      expect.stringMatching(/^attempt 2steady \/ .*answered 200.* ms$/),
      expect.stringMatching(/^first byte.*m?s$/),
      expect.stringMatching(/^settled\$.*m?s$/),
    ]);
    expect(session.errors).toEqual([]);
  });

  test("the page of a call that its vendor failed shows the vendor's words", async () => {
    await suite.simulator.script("broken", [{ status: 500, errorMessage: "The engine <b>melted</b>" }]);
    const answer = await post(suite, hello("wordy"));
    expect(answer.status).toBe(502);
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/calls/${answer.headers.get("x-request-id")}`);
    const attempt = page.getByRole("table", { name: "Timeline" }).getByRole("row", { name: /^attempt 1/ });
    await attempt.getByText("The engine <b>melted</b>", { exact: true }).waitFor();
    expect(session.errors).toEqual([]);
  });

  test("a refused call is listed, and its page shows code and field", async () => {
    const answer = await post(suite, hello("no-such-model"));
    expect(answer.status).toBe(404);
    const requestId = answer.headers.get("x-request-id") ?? "";
    await until("the refusal to be kept", async () => (await suite.gatectl("usage", "show", requestId)).status === 0);
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/calls?request=${requestId}`);
    await page.getByRole("table", { name: "Refused calls" }).getByRole("link").click();
    await page.getByText("Why it was refused").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/calls/${requestId}`);
    for (const [name, value] of [
      ["Reason", "model_not_found"],
      ["Field", "model"],
    ])
      expect(await page.getByRole("row", { name: `${name} ${value}`, exact: true }).count(), name).toBe(1);
    expect(session.errors).toEqual([]);
  });

  test("a call's page that is open before the call shows its cost without a reload", async () => {
    const requestId = "opened-before-its-call";
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/calls/${requestId}`);
    await page.getByText(/^No call in the books has this request id/).waitFor();
    const answer = await post(suite, hello("chat"), keys.demo, { "x-request-id": requestId });
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([200, requestId]);
    await page.getByText(/^Cost: \$0\.\d+/).waitFor();
    expect(session.errors).toEqual([]);
  });

  test("a channel whose variables are not set is no problem on the overview; one that was disabled is", async () => {
    await suite.ask("channel", "disable", "films");
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    try {
      await page.getByText(`1 of ${config.channels.length} channels are unavailable`, { exact: true }).waitFor();
      expect(await page.getByRole("alert").getByRole("link", { name: "films", exact: true }).count()).toBe(1);
      expect(await page.getByRole("alert").getByRole("link", { name: "unset", exact: true }).count()).toBe(0);
    } finally {
      await suite.ask("channel", "enable", "films");
    }
  });

  test("the pages with filters say that Enter applies them", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    for (const name of ["Calls", "Video tasks", "Audit"]) {
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { name, exact: true }).waitFor();
      await page.getByText("Press Enter to apply a filter.", { exact: true }).waitFor();
    }
    expect(session.errors).toEqual([]);
  });

  test("the console's icon is served", async () => {
    await using session = await visitSignedIn(browser, suite);
    const icon = await session.page.locator("link[rel=icon]").evaluate((link) => Reflect.get(link, "href"));
    const answer = await fetch(String(icon));
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });

  test("a call's page names what its vendor could not take", async () => {
    const answer = await post(suite, { ...hello("claude"), stream: false, logit_bias: { 1: 1 } });
    expect(answer.status).toBe(200);
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await until("the call to be in the books", async () => {
      await page.goto(`${suite.controlUrl}/console/calls/${answer.headers.get("x-request-id") ?? ""}`);
      await page.getByText(/Cost:|No settled call/).waitFor();
      return (await page.getByText("Dropped, because the vendor cannot take it:").count()) === 1;
    });
    await page.getByText("logit_bias", { exact: true }).waitFor();
  });

  test("the audit is narrowed to an account, and its address has it", async () => {
    await suite.ask("account", "create", "audited");
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByRole("cell", { name: "demo", exact: true }).first().waitFor();
    await page.getByLabel("Account", { exact: true }).fill("audited");
    await page.keyboard.press("Enter");
    await until("one row", async () => (await page.locator("tbody tr").count()) === 1);
    expect(new URL(page.url()).searchParams.get("account")).toBe("audited");
  });

  test("the page of video tasks shows each with its state, and filters them", async () => {
    const headers = { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "film", prompt: "A boat", seconds: "4" });
    const made = await fetch(`${suite.edgeUrl}/v1/videos`, { method: "POST", headers, body });
    const { id }: { readonly id: string } = JSON.parse(await made.text());
    const requestId = made.headers.get("x-request-id") ?? "";
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("link", { name: "Video tasks" }).click();
    const row = page.getByRole("row", { name: id });
    await row.getByText("completed").waitFor();
    expect(await row.textContent()).toContain("films");
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "failed" }).click();
    await page.getByText("No video tasks match.").waitFor();
    expect(new URL(page.url()).searchParams.get("state")).toBe("failed");
    const way = page.getByRole("table", { name: "Timeline" });
    await until("the film's call to be in the books", async () => {
      await page.goto(`${suite.controlUrl}/console/calls/${requestId}`);
      await page.getByText(/Cost:|No settled call/).waitFor();
      return (await way.count()) === 1;
    });
    // What was put aside for it when it began: four seconds.
    expect((await way.getByRole("row").allTextContents())[0]).toMatch(/^held\$0\.40/);
  });

  test("the overview has all figures by a model, an account, a channel and a tag, as gatectl counts them", async () => {
    for (const team of ["search", "search", "ads"])
      await post(suite, hello("chat"), keys.demo, { "x-modelgate-tags": `team=${team}` });
    const counted = (by: string): Promise<{ by: Record<string, string>; sums: Record<string, string> }[]> =>
      suite.ask("usage", "--by", by);
    await until("the tags in the books", async () => (await counted("tag:team")).length === 3);
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/overview?span=1d`);
    for (const by of ["account", "channel", "model"]) {
      await page.getByRole("radiogroup", { name: "All figures by" }).getByText(by, { exact: true }).click();
      await expectRows(page, by, await counted(by));
      expect(new URL(page.url()).searchParams.get("by")).toBe(by);
    }
    await page.getByRole("radiogroup", { name: "All figures by" }).getByText("tag", { exact: true }).click();
    await page.getByLabel("Name of the tag").fill("team");
    await page.keyboard.press("Enter");
    await expectRows(page, "team", await counted("tag:team"));
    await page.reload();
    await page.getByRole("table", { name: "All figures by team" }).getByRole("link", { name: "search" }).click();
    await page.getByRole("table", { name: "Calls" }).getByRole("link").first().click();
    await page.getByRole("link", { name: "team=search" }).waitFor();
    expect(session.errors).toEqual([]);
  });

  async function expectRows(
    page: Page,
    by: string,
    counted: readonly { readonly by: Record<string, string>; readonly sums: Record<string, string> }[],
  ): Promise<void> {
    const table = page.getByRole("table", { name: `All figures by ${by}` });
    const calls = (cells: readonly string[]): string => `${cells[0]} ${cells[2]}`;
    const wanted = counted.map((row) => `${Object.values(row.by)[0] || "without"} ${row.sums["calls"]}`).toSorted();
    await until(`the figures by ${by}`, async () => {
      const rows = await table.locator("tbody tr").all();
      const shown = await Promise.all(rows.map(async (row) => row.locator("td").allInnerTexts()));
      return calls(shown[0] ?? []) !== "" && JSON.stringify(shown.map(calls).toSorted()) === JSON.stringify(wanted);
    });
    await table
      .getByText(/\d m?s$/)
      .first()
      .waitFor();
  }

  test("the chart of spend is read by keyboard", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    const chart = page.getByRole("slider", { name: "Spend by model" });
    await until("the newest day", async () => /: \$0\.\d+, /.test((await chart.getAttribute("aria-valuetext")) ?? ""));
    await chart.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    const before = (await chart.getAttribute("aria-valuetext")) ?? "";
    expect(before).toMatch(/^\d\d-\d\d: \$0$/);
    await chart.getByText(before.slice(0, 5)).first().waitFor();
    await page.keyboard.press("ArrowRight");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/chat \$/);
  });

  test("an account's page shows the budgets of its keys and what they have spent", async () => {
    const limits = ["--dollars-per-day", "0.5", "--dollars-per-month", "7"];
    await suite.ask("token", "create", "demo", "--group", "default", "--name", "bounded", ...limits);
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/accounts/demo`);
    const budgets = page.getByRole("table", { name: "Budgets" });
    await budgets.waitFor();
    const rows = await budgets.locator("tbody tr").allInnerTexts();
    expect(rows.map((row) => row.split("\t"))).toEqual([
      ["key bounded", "today (UTC)", "$0.00", "$0.50", ""],
      ["key bounded", "this month (UTC)", "$0.00", "$7.00", ""],
    ]);
    const receipts = page.getByRole("table", { name: "Receipts" });
    const newest = (await receipts.locator("tbody tr").first().innerText()).split("\t");
    const { balanceNanos } = await suite.ask<{ balanceNanos: string }>("account", "show", "demo");
    expect(Number(newest[4]?.slice(1).replaceAll(",", "")) * 1e9).toBeCloseTo(Number(balanceNanos), 0);
    await page.getByRole("button", { name: "Verify receipts" }).click();
    await page.getByText(/^The books are consistent/).waitFor();
  });

  test("a viewer is offered nothing that a viewer may not do", async () => {
    await using session = await visitSignedIn(browser, suite, "viewer");
    const { page } = session;
    for (const path of ["accounts", "accounts/demo", "models", "channels", "configuration", "operators"]) {
      await page.goto(`${suite.controlUrl}/console/${path}`);
      await page.getByRole("heading", { level: 2 }).waitFor();
      await until(`${path} to be loaded`, async () => (await page.getByLabel("Loading").count()) === 0);
      const offered = await page.locator("main button:visible").allInnerTexts();
      const harmless = new Set(["CSV", "Verify receipts", "show"]);
      expect(
        offered.filter((name) => !harmless.has(name)),
        path,
      ).toEqual([]);
    }
  });

  test("the system's page shows every service, its version, the stores and the lag", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("link", { name: "System" }).click();
    const services = page.getByRole("table", { name: "Services" });
    await services.waitFor();
    const text = (await services.textContent()) ?? "";
    for (const name of ["edge", "text", "media", "audio", "video", "realtime", "ledger", "control"])
      expect(text).toContain(name);
    expect(text).toContain("0.1.0");
    for (const name of ["USAGE", "CREDITS", "TASKS"]) await page.getByRole("cell", { name }).waitFor();
    expect(await page.getByText("away", { exact: true }).count()).toBe(0);
  });

  test("a part that is away stands on the overview and on the system's page", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await suite.process("ledger").stop();
    try {
      await page.getByText("Some components are unavailable or delayed").waitFor();
      await page.getByRole("link", { name: "Show the system page" }).click();
      await page.getByText("away", { exact: true }).first().waitFor();
    } finally {
      await suite.restart("ledger");
    }
    await until("the ledger to be back", async () => (await page.getByText("away", { exact: true }).count()) === 0);
    expect(session.errors).toEqual([]);
  });

  test("a channel's keys are disabled and enabled one by one, and its course is drawn", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("link", { name: "Channels" }).click();
    const disable = page.getByRole("button", { name: /^disable main \S+$/ });
    await disable.click();
    await page.getByRole("button", { name: /^enable main \S+$/ }).click();
    await disable.waitFor();
    await page
      .getByRole("img", { name: /^First byte of the last 24 hours/ })
      .first()
      .waitFor();
    await page.getByRole("link", { name: "Models" }).click();
    await page.getByRole("columnheader", { name: "Failed" }).waitFor();
    expect(session.errors).toEqual([]);
  });

  test("the overview's percentiles are those that gatectl has", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/overview?span=1d`);
    const [all] = await suite.ask<{ calls: number; p50: number; p95: number }[]>("usage", "first-bytes");
    const figure = page.locator('[data-figure="First byte p50 / p95"]');
    await until("the figure", async () => (await figure.textContent()) === `${all?.p50} / ${all?.p95} ms`);
    await page.getByText(`of ${all?.calls} completed calls`).waitFor();
    expect(session.errors).toEqual([]);
  });

  test("speaks Chinese where it is chosen, and keeps to it", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("button", { name: "简体中文" }).click();
    await page.getByRole("heading", { name: "总览" }).waitFor();
    for (const name of ["视频任务", "渠道", "系统", "审计"]) {
      await page.getByRole("link", { name }).click();
      await page.getByRole("heading", { name }).waitFor();
    }
    expect(await page.getAttribute("html", "lang")).toBe("zh-CN");
    await page.reload();
    await page.getByRole("heading", { name: "审计" }).waitFor();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    expect(session.errors).toEqual([]);
  });

  test.each([
    { kind: "image", fill: "Prompt", shown: (page: Page) => page.getByAltText("Generated image") },
    { kind: "speech", fill: "Text to speak", shown: (page: Page) => page.getByLabel("Generated audio") },
    { kind: "video", fill: "Prompt", shown: (page: Page) => page.getByLabel("Generated video") },
  ])("the playground tries $kind, shows what it cost, and has it as code", async ({ kind, fill, shown }) => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/playground?kind=${kind}`);
    await page.getByLabel(/^Key/).fill(keys.demo);
    await page.getByLabel(fill).fill("A boat");
    await page.getByRole("button", { name: "Send" }).click();
    await shown(page).waitFor();
    await page.getByText(/^cost \$/).waitFor();
    await page.getByRole("button", { name: "As code" }).click();
    await page.getByRole("tab", { name: "openai (Python)" }).click();
    const code = (await page.getByLabel("Code for openai (Python)", { exact: true }).textContent()) ?? "";
    expect(code).toContain('"A boat"');
    expect(code).not.toContain(keys.demo);
    expect(session.errors).toEqual([]);
  });

  test("the playground writes down what a recording says", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/playground?kind=transcription`);
    await page.getByLabel(/^Key/).fill(keys.demo);
    const buffer = Buffer.concat([wavHead({ sampleRate: 8_000, channels: 1, bits: 16 }, 16_000), Buffer.alloc(16_000)]);
    await page.locator('input[type="file"]').setInputFiles({ name: "words.wav", mimeType: "audio/wav", buffer });
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/^cost \$/).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("the playground speaks with a realtime model by the microphone", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    const sent: string[] = [];
    page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => void sent.push(payload.toString())));
    await page.goto(`${suite.controlUrl}/console/playground?kind=realtime`);
    await page.getByLabel(/^Key/).fill(keys.demo);
    await page.getByRole("button", { name: "Speak" }).click();
    await page.getByText("The microphone is on.").waitFor();
    await until("sound to be sent", async () => sent.some((text) => text.includes("input_audio_buffer.append")));
    await page.getByRole("button", { name: "End the session" }).click();
    await page.getByRole("button", { name: "Speak" }).waitFor();
    expect(session.errors).toEqual([]);
  });

  test("what is loaded until the overview can be used is small", async () => {
    await using opened = await visit(browser);
    const { page } = opened;
    const { url } = await suite.ask<{ url: string }>("operator", "link");
    const sizes = new Map<string, number>();
    page.on("requestfinished", (request) => {
      const name = new URL(request.url()).pathname;
      if (!name.startsWith("/console/")) return;
      void request.sizes().then(({ responseBodySize }) => sizes.set(name, responseBodySize));
    });
    await page.goto(url);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("slider", { name: "Spend by model" }).waitFor();
    await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => undefined);
    const sum = [...sizes.values()].reduce((all, size) => all + size, 0);
    expect(sum).toBeGreaterThan(50_000);
    expect(sum).toBeLessThan(maxBytes);
  });
});
