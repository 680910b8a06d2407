import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { axeFaults, rulesOfColour } from "./axe-faults.ts";
import { browserProgram, launchBrowser } from "./browser.ts";
import { buildConsole, visit, visitSignedIn } from "./console-browser.ts";
import { consolePages } from "./console-screenshots.ts";
import { config as house } from "./house.ts";

const program = browserProgram();
const password = "correct horse battery staple";
const vendorKey = "sk-vendor-of-my-own-0123456789";

describe.skipIf(program === undefined)("a new gateway, set up by clicks alone", { timeout: 120_000 }, () => {
  let suite: Suite;
  let browser: Browser;
  beforeAll(async () => {
    buildConsole();
    // No file and no seed: one group, no models.
    suite = await startSuite({ config: house, env: { MODELGATE_CONFIG: "" } });
    browser = await launchBrowser(program ?? "");
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await suite?.[Symbol.asyncDispose]();
  });

  const totals = () =>
    suite.ask<{ by: Record<string, string>; sums: Record<string, string> }[]>("usage", "--by", "outcome");

  async function addVendor(page: Page): Promise<void> {
    await page.getByRole("link", { name: "Channels" }).click();
    await page.getByRole("button", { name: "Add a vendor" }).click();
    await page.getByRole("combobox", { name: "Vendor" }).click();
    await page.getByRole("option", { name: "Another that speaks OpenAI's formats" }).click();
    await page.getByLabel("Address").fill(`${suite.simulator.url}/at/mine/openai/v1`);
    await page.getByRole("dialog").getByLabel(/^Key/).fill(vendorKey);
    await page.getByRole("button", { name: "List its models" }).click();
    await page.getByRole("checkbox", { name: "demo-chat" }).check();
    await page.getByLabel("input price of demo-chat").fill("2.50");
    await page.getByLabel("output price of demo-chat").fill("10");
    await page.getByRole("button", { name: "Save 1 model" }).click();
    await page.getByText("It is in force.").waitFor();
  }

  test("a vendor is added, a key is made, and a paid call to that vendor succeeds", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await addVendor(page);
    await page.getByRole("link", { name: "Create a key for them" }).click();
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByLabel("Id").fill("mine");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("link", { name: "mine", exact: true }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog").getByLabel(/^Name/).fill("laptop");
    await page.getByRole("button", { name: "Make", exact: true }).click();
    await page.getByRole("button", { name: "Make the first call" }).click();
    await page.getByText("Answer").waitFor();
    const [request] = await suite.simulator.requests("mine");
    expect(JSON.stringify(request?.headers)).toContain(vendorKey);
    const sums = await until("the call in the books", async () => (await totals())[0]?.sums);
    expect(BigInt(sums["costNanos"] ?? "0")).toBeGreaterThan(0n);
    expect(await page.content()).not.toContain(vendorKey);
    expect(session.errors).toEqual([]);
  });

  test("every figure of the overview is what gatectl counts for the same span", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/overview?span=1d`);
    const rows = await totals();
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
      await until(`${name} to be as counted`, async () =>
        fits((await page.locator(`[data-figure="${name}"]`).textContent()) ?? ""),
      );
    const tops = page.getByRole("table", { name: "Models by spend" }).locator("tbody tr");
    const byModel = await suite.ask<{ by: { model: string }; sums: { calls: string } }[]>("usage", "--by", "model");
    expect((await tops.allInnerTexts()).map((row) => row.split(/\s+/).slice(0, 2))).toEqual(
      byModel.map(({ by, sums }) => [by.model, sums.calls]),
    );
  });

  test("the YAML is checked at its fields, saved as a version, and brought back once what that changes has been shown", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
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
    await page.getByLabel("Difference of version 3").getByText("+ # seen by ada").waitFor();
    await page.getByRole("button", { name: "show version 2" }).click();
    await page.getByRole("button", { name: "Restore version 2" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Changes by restoring version 2").getByText("- # seen by ada").waitFor();
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByRole("cell", { name: "back to version 2" }).waitFor();
    expect(await page.getByLabel("YAML").inputValue()).toBe(before);
  });

  test("an operator is created, signs in by password, sees what a viewer may, and the audit has it all", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("link", { name: "Operators" }).click();
    await page.getByRole("button", { name: "Create operator" }).click();
    await page.getByRole("dialog").getByLabel(/^Name/).fill("vic");
    await page
      .getByRole("dialog")
      .getByLabel(/^Password/)
      .fill("too short");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("password must have 12").waitFor();
    await page
      .getByRole("dialog")
      .getByLabel(/^Password/)
      .fill(password);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("cell", { name: "vic", exact: true }).waitFor();
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByRole("cell", { name: "operator.create" }).waitFor();

    await using other = await visit(browser);
    await other.page.goto(`${suite.controlUrl}/console/`);
    await other.page.getByLabel("Name").fill("vic");
    await other.page.getByLabel(/^Password/).fill("a wrong password");
    await other.page.getByRole("button", { name: "Sign in" }).click();
    await other.page.getByText("The name or the password is wrong.").waitFor();
    await other.page.getByLabel(/^Password/).fill(password);
    await other.page.keyboard.press("Enter");
    await other.page.getByRole("heading", { name: "Overview" }).waitFor();
    await other.page.getByText("vic (viewer)").waitFor();
    expect(await other.page.getByRole("link", { name: "Operators" }).count()).toBe(0);
    await other.page.getByRole("button", { name: "Sign out" }).click();
    await other.page.getByLabel("Name").waitFor();
  });

  test("a table is saved as CSV, and an account's HTML name is text", async () => {
    const name = "<img src=x onerror=alert(1)>";
    await suite.ask("account", "create", "html", "--name", name);
    await suite.ask("account", "create", "formula", "--name", "=1+1");
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("link", { name: "Accounts and keys" }).click();
    await page.getByRole("cell", { name }).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save Accounts as CSV" }).click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await saved).createReadStream()) chunks.push(Buffer.from(chunk));
    const csv = Buffer.concat(chunks).toString();
    expect(csv).toContain("'=1+1");
    expect(csv).toMatch(/^Account,Name,Available/);
    expect(session.errors).toEqual([]);
  });

  test("axe finds nothing on the pages of the set-up, in light and in dark", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    for (const { name } of consolePages) {
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await page.getByRole("link", { name }).click();
      await page.getByRole("heading", { name }).waitFor();
      await until(`${name} to be loaded`, async () => (await page.getByLabel("Loading").count()) === 0);
      expect(await axeFaults(page), `${name} in light`).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      expect(await axeFaults(page, rulesOfColour), `${name} in dark`).toEqual([]);
    }
  });

  test("no page is wider than a phone", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.setViewportSize({ width: 375, height: 700 });
    for (const { name } of consolePages) {
      await page.getByRole("button", { name: "Navigation" }).click();
      await page.getByRole("link", { name }).click();
      await page.getByRole("heading", { name }).waitFor();
      const wider = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      expect(wider, name).toBeLessThanOrEqual(0);
    }
  });
});
