import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { browserProgram, closePages, sharedBrowser } from "./browser.ts";
import { buildConsole, loaded, showPage, visit, visitSignedIn, type Visit } from "./console-browser.ts";
import { channel, config as baseConfig, hello, keys, post } from "./suite-client.ts";
import { quickLimits } from "../../services/video/test/films.ts";

const program = browserProgram();
/** Maximum size of all compressed files that the first page loads. */
const maxBytes = 300_000;

const config = {
  ...baseConfig,
  models: {
    ...baseConfig.models,
    film: { kind: "video", price: { second: 0.1 } },
    twice: { kind: "chat", price: { input: 2.5, output: 10 } },
  },
  channels: [
    ...baseConfig.channels,
    channel("films", ["film"]),
    channel("shaky", ["twice"], { priority: 1 }),
    channel(
      "steady",
      { twice: "demo-claude" },
      { provider: "anthropic", baseUrl: "${SIMULATOR_URL}/at/steady/anthropic" },
    ),
    channel("unset", ["twice"], { baseUrl: "https://${UNSET_HOST}/v1", keys: ["env:UNSET_API_KEY"] }),
  ],
};

describe.skipIf(program === undefined)("pages of the console", () => {
  let suite: Suite;
  let browser: Browser;
  let session: Visit;
  let page: Page;
  beforeAll(async () => {
    buildConsole();
    suite = await startSuite({ shape: "apart", config, limits: quickLimits });
    browser = await sharedBrowser(program ?? "");
    await until("a first call", async () => (await post(suite, hello("chat"))).status === 200);
    session = await visitSignedIn(browser, suite);
    ({ page } = session);
  });
  afterAll(async () => {
    await closePages(browser);
    await suite?.[Symbol.asyncDispose]();
  });

  const openOverview = (): Promise<void> => showPage(page, `${suite.controlUrl}/console/overview`);

  test("a call's page shows its hold, each attempt, the first byte, what was dropped, and the settlement", async () => {
    await suite.simulator.script("shaky", [{ status: 500, errorMessage: "The engine <b>melted</b>" }]);
    const answer = await post(suite, { ...hello("twice"), stream: false, logit_bias: { 1: 1 } });
    expect(answer.status).toBe(200);
    const requestId = answer.headers.get("x-request-id") ?? "";
    const timeline = page.getByRole("table", { name: "Timeline" });
    await until("the call to be in the books", async () => {
      await showPage(page, `${suite.controlUrl}/console/calls/${requestId}`);
      await page.getByRole("heading", { name: "Call", exact: true }).waitFor();
      await loaded(page);
      return (await timeline.count()) === 1;
    });
    const rows = await timeline.getByRole("row").allTextContents();
    expect(rows).toEqual([
      expect.stringMatching(/^held\$/),
      expect.stringMatching(/^attempt 1shaky \/ .*upstream_error 500.* ms$/),
      expect.stringMatching(/^attempt 2steady \/ .*answered 200.* ms$/),
      expect.stringMatching(/^first byte.*m?s$/),
      expect.stringMatching(/^settled\$.*m?s$/),
    ]);
    await timeline.getByText("The engine <b>melted</b>", { exact: true }).waitFor();
    await page.getByText("Dropped because the vendor does not support it:").waitFor();
    await page.getByText("logit_bias", { exact: true }).waitFor();
    const bill = page.getByRole("table", { name: "Cost" });
    const cells = await bill.locator("tbody tr td:last-child").allTextContents();
    const [total = ""] = await bill.locator("tfoot th:last-child").allTextContents();
    const sum = cells.reduce((all, text) => all + Number(text.slice(1)), 0);
    expect(Number(total.slice(1))).toBeCloseTo(sum, 9);
    expect(sum).toBeGreaterThan(0);
    expect(session.errors).toEqual([]);
  });

  test("a refused call is listed, and its page shows code and field", async () => {
    const answer = await post(suite, hello("no-such-model"));
    expect(answer.status).toBe(404);
    const requestId = answer.headers.get("x-request-id") ?? "";
    await until("the refusal to be stored", async () => (await suite.gatectl("usage", "show", requestId)).status === 0);
    await showPage(page, `${suite.controlUrl}/console/calls?request=${requestId}`);
    await page.getByRole("table", { name: "Refused calls" }).getByRole("link").click();
    await page.getByText("Reason for the refusal").waitFor();
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
    await showPage(page, `${suite.controlUrl}/console/calls/${requestId}`);
    await page.getByText(/^No call has this request id/).waitFor();
    const answer = await post(suite, hello("chat"), keys.demo, { "x-request-id": requestId });
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([200, requestId]);
    await page.getByText(/^Cost: \$0\.\d+/).waitFor();
    expect(session.errors).toEqual([]);
  });

  test("a channel whose variables are not set is not listed as a problem on the overview; a disabled one is", async () => {
    await suite.ask("channel", "disable", "films");
    try {
      await openOverview();
      await page.getByText(`1 of ${config.channels.length} channels are unavailable`, { exact: true }).waitFor();
      expect(await page.getByRole("alert").getByRole("link", { name: "films", exact: true }).count()).toBe(1);
      expect(await page.getByRole("alert").getByRole("link", { name: "unset", exact: true }).count()).toBe(0);
    } finally {
      await suite.ask("channel", "enable", "films");
    }
  });

  test("the overview has all figures by model, account, channel and tag, equal to those of gatectl", async () => {
    for (const team of ["search", "search", "ads"])
      await post(suite, hello("chat"), keys.demo, { "x-modelgate-tags": `team=${team}` });
    const counted = (by: string): Promise<{ by: Record<string, string>; sums: Record<string, string> }[]> =>
      suite.ask("usage", "--by", by);
    await until("the tags in the books", async () => (await counted("tag:team")).length === 3);
    await showPage(page, `${suite.controlUrl}/console/overview?span=1d`);
    for (const by of ["account", "channel", "model"]) {
      await page.getByRole("radiogroup", { name: "Group by" }).getByText(by, { exact: true }).click();
      await expectRows(page, by, await counted(by));
      expect(new URL(page.url()).searchParams.get("by")).toBe(by);
    }
    await page.getByRole("radiogroup", { name: "Group by" }).getByText("tag", { exact: true }).click();
    await page.getByLabel("Name of the tag").fill("team");
    await page.keyboard.press("Enter");
    await expectRows(page, "team", await counted("tag:team"));
    await showPage(page, page.url());
    await page.getByRole("table", { name: "Breakdown by team" }).getByRole("link", { name: "search" }).click();
    await page.getByRole("table", { name: "Calls" }).getByRole("link").first().click();
    await page.getByRole("link", { name: "team=search" }).waitFor();
    expect(session.errors).toEqual([]);
  });

  async function expectRows(
    page: Page,
    by: string,
    counted: readonly { readonly by: Record<string, string>; readonly sums: Record<string, string> }[],
  ): Promise<void> {
    const table = page.getByRole("table", { name: `Breakdown by ${by}` });
    const calls = (cells: readonly string[]): string => `${cells[0]} ${cells[2]}`;
    const expected = counted.map((row) => `${Object.values(row.by)[0] || "(none)"} ${row.sums["calls"]}`).toSorted();
    await until(`the figures by ${by}`, async () => {
      const rows = await table.locator("tbody tr").all();
      const shown = await Promise.all(rows.map(async (row) => row.locator("td").allInnerTexts()));
      return calls(shown[0] ?? []) !== "" && JSON.stringify(shown.map(calls).toSorted()) === JSON.stringify(expected);
    });
    await table
      .getByText(/\d m?s$/)
      .first()
      .waitFor();
  }

  test("the chart of spend is read by keyboard", async () => {
    await openOverview();
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

  test("a viewer sees no action that a viewer may not perform", async () => {
    await using viewer = await visitSignedIn(browser, suite, "viewer");
    const { page } = viewer;
    for (const path of ["accounts", "accounts/demo", "models", "channels", "configuration", "operators"]) {
      await showPage(page, `${suite.controlUrl}/console/${path}`);
      await page.getByRole("heading", { level: 2 }).waitFor();
      await loaded(page);
      const offered = await page.locator("main button:visible").allInnerTexts();
      const harmless = new Set(["CSV", "Verify receipts", "show"]);
      expect(
        offered.filter((name) => !harmless.has(name)),
        path,
      ).toEqual([]);
    }
  });

  test("an unavailable part is shown on the overview and on the system page", async () => {
    await suite.process("ledger").stop();
    try {
      await openOverview();
      await page.getByText("Some components are unavailable or delayed").waitFor();
      await page.getByRole("link", { name: "Show the system page" }).click();
      await page.getByText("unavailable", { exact: true }).first().waitFor();
    } finally {
      await suite.restart("ledger");
    }
    // The open page notices it.
    await until(
      "the ledger to be available again",
      async () => (await page.getByText("unavailable", { exact: true }).count()) === 0,
    );
    expect(session.errors).toEqual([]);
  });

  test("is shown in Chinese if chosen, and remembers the choice", async () => {
    await openOverview();
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

  test("the first load of the overview is small, and its icon is served", async () => {
    await using opened = await visit(browser);
    const { page } = opened;
    const { url } = await suite.ask<{ url: string }>("operator", "link");
    const sizes = new Map<string, number>();
    const open = new Set<Request>();
    page.on("request", (request) => open.add(request));
    page.on("requestfailed", (request) => open.delete(request));
    page.on("requestfinished", async (request) => {
      const { responseBodySize } = await request.sizes();
      const name = new URL(request.url()).pathname;
      if (name.startsWith("/console/")) sizes.set(name, responseBodySize);
      open.delete(request);
    });
    await page.goto(url);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("slider", { name: "Spend by model" }).waitFor();
    await loaded(page);
    await until("every request to end", () => open.size === 0);
    const sum = [...sizes.values()].reduce((all, size) => all + size, 0);
    expect(sum).toBeGreaterThan(50_000);
    expect(sum).toBeLessThan(maxBytes);
    expect([...sizes.keys()].filter((name) => name.includes("jsx-dev"))).toEqual([]); // React's development build
    const icon = await fetch(
      await page.locator("link[rel=icon]").evaluate((link) => String(Reflect.get(link, "href"))),
    );
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });
});
