import { isDeepStrictEqual } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { browserProgram, closePages, sharedBrowser } from "./browser.ts";
import { buildConsole, loaded, showPage, visitSignedIn, type Visit } from "./console-browser.ts";
import { choose, press, type } from "./console-keyboard.ts";
import { hello, post } from "./suite-client.ts";

const program = browserProgram();
const vendorKey = "sk-vendor-of-my-own-0123456789";
/** Maximum size of all compressed files that the first page loads. */
const maxBytes = 300_000;

interface Rotated {
  readonly name?: string;
  readonly previous?: { readonly replacedAt: string; readonly expiresAt: string };
}

async function openForm(page: Page, link: string, button: string): Promise<ReturnType<Page["getByRole"]>> {
  await page.getByRole("link", { name: link }).click();
  await page.getByRole("button", { name: button, exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Other settings, as JSON").waitFor();
  return dialog;
}

async function chooseKind(page: Page, kind: string): Promise<void> {
  await page.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: kind, exact: true }).click();
}

describe.skipIf(program === undefined)("a new gateway, set up in the console only", () => {
  let suite: Suite;
  let browser: Browser;
  let session: Visit;
  let page: Page;
  beforeAll(async () => {
    buildConsole();
    // No configuration file: one group, no models.
    suite = await startSuite({ config: {}, env: { MODELGATE_CONFIG: "" } });
    browser = await sharedBrowser(program ?? "");
    session = await visitSignedIn(browser, suite);
    ({ page } = session);
  });
  afterAll(async () => {
    await closePages(browser);
    await suite?.[Symbol.asyncDispose]();
  });

  const show = (path: string): Promise<void> => showPage(page, `${suite.controlUrl}/console/${path}`);
  const countedBy = (by: string) =>
    suite.ask<{ by: Record<string, string>; sums: Record<string, string> }[]>("usage", "--by", by);

  test("the first load of the overview is small, and its icon is served", async () => {
    await loaded(page);
    const sizes = await page.evaluate<readonly (readonly [name: string, size: number])[]>(`
      [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize])
        .filter(([name]) => name.startsWith("/console/"))`);
    const sum = sizes.reduce((all, [, size]) => all + size, 0);
    expect(sum).toBeGreaterThan(50_000);
    expect(sum).toBeLessThan(maxBytes);
    expect(sizes.filter(([name]) => name.includes("jsx-dev"))).toEqual([]); // React's development build
    const icon = await fetch(
      await page.locator("link[rel=icon]").evaluate((link) => String(Reflect.get(link, "href"))),
    );
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });

  test("by keyboard only: a vendor is added, a key is created, and a paid call to that vendor succeeds", async () => {
    const dialog = page.getByRole("dialog");
    await press(page, page.getByRole("link", { name: "Channels" }));
    await press(page, page.getByRole("button", { name: "Add a vendor" }));
    await choose(page, page.getByRole("combobox", { name: "Vendor" }), "Other, with OpenAI's formats");
    await type(page, page.getByLabel("Address"), `${suite.simulator.url}/at/mine/openai/v1`);
    await type(page, dialog.getByLabel(/^Key/), vendorKey);
    await press(page, page.getByRole("button", { name: "List its models" }));
    await press(page, page.getByRole("checkbox", { name: "demo-chat" }), "Space");
    await type(page, page.getByLabel("input price of demo-chat"), "2.50");
    await type(page, page.getByLabel("output price of demo-chat"), "10");
    await press(page, page.getByRole("button", { name: "Save 1 model" }));
    await page.getByText("It is now active.").waitFor();
    await press(page, page.getByRole("link", { name: "Create a key for them" }));
    await press(page, page.getByRole("button", { name: "Create account" }));
    await type(page, page.getByLabel("Id"), "mine");
    await press(page, page.getByRole("button", { name: "Create", exact: true }));
    await press(page, page.getByRole("link", { name: "mine", exact: true }));
    await press(page, page.getByRole("button", { name: "Create key" }));
    await type(page, dialog.getByLabel(/^Name/), "laptop");
    await press(page, page.getByRole("button", { name: "Create", exact: true }));
    await press(page, page.getByRole("button", { name: "Send a test call" }));
    await page.getByText("Answer").waitFor();
    const [request] = await suite.simulator.requests("mine");
    expect(JSON.stringify(request?.headers)).toContain(vendorKey);
    const sums = await until("the call in the books", async () => (await countedBy("outcome"))[0]?.sums);
    expect(BigInt(sums["costNanos"] ?? "0")).toBeGreaterThan(0n);
    expect(await page.content()).not.toContain(vendorKey);
    expect(session.errors).toEqual([]);
  });

  test("a call's page that is open before the call shows its cost without a reload", async () => {
    const { key } = await suite.ask<{ key: string }>("token", "create", "mine", "--group", "default", "--name", "cli");
    const requestId = "opened-before-its-call";
    await show(`calls/${requestId}`);
    await page.getByText(/^No call has this request id/).waitFor();
    const headers = { "x-request-id": requestId, "x-modelgate-tags": "team=search" };
    const answer = await post(suite, hello("demo-chat"), key, headers);
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([200, requestId]);
    await page.getByText(/^Cost: \$0\.\d+/).waitFor();
    expect(session.errors).toEqual([]);
  });

  test("every figure of the overview equals that of gatectl for the same period", async () => {
    await show("overview?span=1d");
    const rows = await countedBy("outcome");
    const sum = (name: string) => rows.reduce((all, { sums }) => all + Number(sums[name] ?? 0), 0);
    const failed = rows
      .filter(({ by }) => by["outcome"] === "failed")
      .reduce((all, { sums }) => all + Number(sums["calls"]), 0);
    const expected: Readonly<Record<string, (shown: string) => boolean>> = {
      Spend: (shown) => Math.abs(Number(shown.replace("$", "")) * 1e9 - sum("costNanos")) / sum("costNanos") < 0.01,
      Calls: (shown) => shown === String(sum("calls")),
      "Input tokens": (shown) => shown === String(sum("inputTokens")),
      "Output tokens": (shown) => shown === String(sum("outputTokens")),
      Failed: (shown) => shown === `${((failed / sum("calls")) * 100).toFixed(1)} %`,
    };
    for (const [name, fits] of Object.entries(expected))
      await until(`${name} to equal the count`, async () =>
        fits((await page.locator(`[data-figure="${name}"]`).textContent()) ?? ""),
      );
    const tops = page.getByRole("table", { name: "Models by spend" }).locator("tbody tr");
    const counted = (await countedBy("model")).map(({ by, sums }) => [by["model"], sums["calls"]]);
    await until("the models to equal the count", async () =>
      isDeepStrictEqual(
        (await tops.allInnerTexts()).map((row) => row.split(/\s+/).slice(0, 2)),
        counted,
      ),
    );
  });

  test("the overview's breakdown by a tag equals that of gatectl, and leads to the calls with the tag", async () => {
    await show("overview?span=1d");
    await page.getByRole("radiogroup", { name: "Group by" }).getByText("tag", { exact: true }).click();
    await page.getByLabel("Name of the tag").fill("team");
    await page.keyboard.press("Enter");
    const table = page.getByRole("table", { name: "Breakdown by team" });
    await table.getByRole("link", { name: "search" }).waitFor();
    const shown = (await table.locator("tbody tr").allInnerTexts()).map((row) => row.split("\t"));
    const counted = await countedBy("tag:team");
    expect(shown.map(([tag, , calls]) => [tag, calls]).toSorted()).toEqual(
      counted.map(({ by, sums }) => [Object.values(by)[0] || "(none)", sums["calls"]]).toSorted(),
    );
    expect(new URL(page.url()).searchParams.get("by")).toBe("tag:team");
    await table.getByRole("link", { name: "search" }).click();
    await page.getByRole("table", { name: "Calls" }).getByRole("link").first().click();
    await page.getByRole("link", { name: "team=search" }).waitFor();
    expect(session.errors).toEqual([]);
  });

  test("the chart of spend is read by keyboard", async () => {
    await show("overview?span=7d");
    const chart = page.getByRole("slider", { name: "Spend by model" });
    await until("the newest day", async () => /: \$0\.\d+, /.test((await chart.getAttribute("aria-valuetext")) ?? ""));
    await chart.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    const before = (await chart.getAttribute("aria-valuetext")) ?? "";
    expect(before).toMatch(/^\d\d-\d\d: \$0$/);
    await chart.getByText(before.slice(0, 5)).first().waitFor();
    await page.keyboard.press("ArrowRight");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/demo-chat \$/);
  });

  test("the YAML is checked by field, saved as a version, and rolled back after its changes are shown", async () => {
    await show("overview");
    await page.getByRole("link", { name: "Configuration" }).click();
    const yaml = page.getByLabel("YAML");
    const before = await yaml.inputValue();
    expect(before).toMatch(/kept:/);
    await yaml.fill(before.replace("kind: chat", "kind: chatty"));
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("models.demo-chat.kind").waitFor();
    await yaml.fill(`${before}# seen by ada\n`);
    await page.getByLabel("Note").fill("a comment");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("cell", { name: "a comment" }).waitFor();
    await page.getByRole("button", { name: "show version 3" }).click();
    await page.getByLabel("Changes in version 3").getByText("+ # seen by ada").waitFor();
    await page.getByRole("button", { name: "show version 2" }).click();
    await page.getByRole("button", { name: "Restore version 2" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Changes if you restore version 2").getByText("- # seen by ada").waitFor();
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByRole("cell", { name: "back to version 2" }).waitFor();
    await until("the YAML of version 2", async () => (await yaml.inputValue()) === before);
  });

  test("a model is added, invalid fields are named, it is edited and removed; each change is a version", async () => {
    await show("overview");
    let dialog = await openForm(page, "Models", "Add a model");
    await dialog.getByLabel(/^Name/).fill("fresh-1.0");
    await chooseKind(page, "chat");
    await dialog.getByLabel("Input, $ per million tokens", { exact: true }).fill("dear");
    await dialog.getByRole("button", { name: "Save" }).click();
    await until("the error at its field", async () => {
      const input = dialog.getByLabel("Input, $ per million tokens", { exact: true });
      return (await input.getAttribute("aria-invalid")) === "true";
    });
    await dialog.getByLabel("Input, $ per million tokens", { exact: true }).fill("2.5");
    await dialog.getByLabel("Note").fill("a model by form");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is now active.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("cell", { name: "input $2.5 per million tokens", exact: true }).waitFor();

    dialog = await openForm(page, "Models", "Edit the model fresh-1.0");
    expect(await dialog.getByLabel("Input, $ per million tokens", { exact: true }).inputValue()).toBe("2.5");
    await dialog.getByLabel("Other settings, as JSON").fill("{");
    await dialog.getByText("This is not a JSON object.").waitFor();
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Other settings, as JSON").fill('{"price":{"serviceTiers":{"flex":0.5}}}');
    await dialog.getByLabel("Output, $ per million tokens", { exact: true }).fill("7");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is now active.").waitFor();
    const { stdout } = await suite.gatectl("config", "export");
    expect(stdout).toMatch(/fresh-1\.0:\s+price:\s+serviceTiers:\s+flex: 0\.5\s+input: 2\.5\s+output: 7\s+kind: chat/);
    await page.keyboard.press("Escape");

    dialog = await openForm(page, "Models", "Edit the model fresh-1.0");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByText(/Saved as version \d+\. It is now active\./).waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await until(
      "the model to be removed",
      async () => (await page.getByRole("cell", { name: "fresh-1.0" }).count()) === 0,
    );
    const [removed, edited, added] = await suite.ask<object[]>("config", "history");
    expect([removed, edited, added]).toMatchObject([{ actor: "ada" }, { actor: "ada" }, { note: "a model by form" }]);
    expect(session.errors).toEqual([]);
  });

  test("an account is credited, its key is edited and disabled, and its receipts are verified", async () => {
    await suite.ask("account", "create", "team-a", "--balance", "5");
    await suite.ask("token", "create", "team-a", "--group", "default", "--name", "wide");
    await show("accounts/team-a");
    await page.getByLabel("Amount").fill("5");
    await page.getByLabel("Reason").fill("<b>first</b>");
    await page.getByRole("button", { name: "Credit", exact: true }).click();
    await page.getByRole("table", { name: "Credits" }).getByRole("cell", { name: "<b>first</b>" }).waitFor();
    await page.locator('[data-figure="Available"]', { hasText: "$10.00" }).waitFor();
    await page.getByRole("button", { name: "Edit the key wide" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^Models/).fill("absent");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText('There is no model "absent".').waitFor();
    await dialog.getByLabel(/^Models/).fill("demo-chat");
    await dialog.getByLabel(/^Daily budget/).fill("1.50");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("cell", { name: "$1.50 a day" }).waitFor();
    await page.getByRole("cell", { name: "key wide", exact: true }).waitFor();
    const budgets = await page.getByRole("table", { name: "Budgets" }).locator("tbody tr").allInnerTexts();
    expect(budgets.map((row) => row.split("\t").slice(0, 4))).toEqual([["key wide", "today (UTC)", "$0.00", "$1.50"]]);
    await page.getByRole("button", { name: "disable wide" }).click();
    await page.getByRole("button", { name: "enable wide" }).waitFor();
    await page.getByRole("button", { name: "Verify receipts" }).click();
    await page.getByText("The books are consistent").waitFor();
    const [token] = await suite.ask<object[]>("token", "list", "team-a");
    expect(token).toMatchObject({ disabled: true, models: ["demo-chat"], budget: { perDay: "1500000000" } });
    expect(session.errors).toEqual([]);
  });

  test("a key is rotated and deleted", async () => {
    await suite.ask("account", "create", "team-r", "--balance", "5");
    await suite.ask("token", "create", "team-r", "--group", "default", "--name", "app");
    await show("accounts/team-r");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Rotate the key app" }).click();
    await dialog.getByLabel("Old key expires after").selectOption("1 hour");
    await dialog.getByRole("button", { name: "Rotate", exact: true }).click();
    await dialog.getByText("Copy the key now: it is shown only once").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByText(/^Old key sk-.+ last used never$/).waitFor();
    const [token] = await suite.ask<Rotated[]>("token", "list", "team-r");
    const { replacedAt = "", expiresAt = "" } = token?.previous ?? {};
    expect(Math.round((Date.parse(expiresAt) - Date.parse(replacedAt)) / 1_000)).toBe(3_600);
    await page.getByRole("button", { name: "Rotate the key app" }).click();
    await dialog.getByText("If you rotate again, the previous key stops working immediately.").waitFor();
    await dialog.getByText(/^Old key sk-.+ last used never$/).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Delete the key app" }).click();
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("No keys yet. Create one to call the gateway.").waitFor();
    expect(await suite.ask<object[]>("token", "list", "team-r")).toEqual([]);
    expect(session.errors).toEqual([]);
  });
});
