import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { browserProgram, launchBrowser } from "./browser.ts";
import { buildConsole, visitSignedIn } from "./console-browser.ts";

const program = browserProgram();
/** Most presses of a key until what is wanted has the focus. */
const maxPresses = 150;

describe.skipIf(program === undefined)("the console, by keyboard alone", { timeout: 120_000 }, () => {
  let suite: Suite;
  let browser: Browser;
  beforeAll(async () => {
    buildConsole();
    suite = await startSuite({ config: {}, env: { MODELGATE_CONFIG: "" } });
    browser = await launchBrowser(program ?? "");
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await suite?.[Symbol.asyncDispose]();
  });

  test("from an empty gateway to a paid call of a vendor's model", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    const dialog = page.getByRole("dialog");
    await press(page, page.getByRole("link", { name: "Channels" }));
    await press(page, page.getByRole("button", { name: "Add a vendor" }));
    await choose(page, page.getByRole("combobox", { name: "Vendor" }), "Another that speaks OpenAI's formats");
    await type(page, page.getByLabel("Address"), `${suite.simulator.url}/at/keys/openai/v1`);
    await type(page, dialog.getByLabel(/^Key/), "sk-vendor-of-my-own-0123456789");
    await press(page, page.getByRole("button", { name: "List its models" }));
    await press(page, page.getByRole("checkbox", { name: "demo-chat" }), "Space");
    await type(page, page.getByLabel("input price of demo-chat"), "2.50");
    await type(page, page.getByLabel("output price of demo-chat"), "10");
    await press(page, page.getByRole("button", { name: "Save 1 model" }));
    await press(page, page.getByRole("link", { name: "Create a key for them" }));
    await press(page, page.getByRole("button", { name: "Create account" }));
    await type(page, page.getByLabel("Id"), "mine");
    await press(page, page.getByRole("button", { name: "Create", exact: true }));
    await press(page, page.getByRole("link", { name: "mine", exact: true }));
    await press(page, page.getByRole("button", { name: "Create key" }));
    await type(page, dialog.getByLabel(/^Name/), "laptop");
    await press(page, page.getByRole("button", { name: "Create", exact: true }));
    await press(page, page.getByRole("button", { name: "Make the first call" }));
    await page.getByText("Answer").waitFor();
    const cost = await until("the call in the books", async () => {
      const [totals] = await suite.ask<{ sums: Record<string, string> }[]>("usage", "--by", "outcome");
      return totals?.sums["costNanos"];
    });
    expect(BigInt(cost)).toBeGreaterThan(0n);
    expect(session.errors).toEqual([]);
  });

  test("a call is found in the log, and repeated in the playground", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await press(page, page.getByRole("link", { name: "Calls", exact: true }));
    await press(page, page.getByRole("row").getByRole("link").first());
    await page.getByText("demo-chat").first().waitFor();
    const { key } = await suite.ask<{ key: string }>("token", "create", "mine", "--group", "default");
    await press(page, page.getByRole("link", { name: "Playground" }));
    await type(page, page.getByLabel("Key"), key);
    await type(page, page.getByLabel("Message"), "Hello by keys");
    await press(page, page.getByRole("button", { name: "Send" }));
    await page.getByText(/first token .* tokens/).waitFor();
    expect(session.errors).toEqual([]);
  });
});

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  for (let presses = 0; presses < maxPresses; presses++) {
    if ((await wanted.and(page.locator(":focus")).count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`not reached by Tab: ${String(wanted)}`);
}

async function press(page: Page, wanted: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, wanted);
  await page.keyboard.press(key);
}

async function type(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(text);
}

/** Goes down a list until an option is the one that Enter takes. */
async function choose(page: Page, list: Locator, option: string): Promise<void> {
  await tabTo(page, list);
  const selected = page.locator("[data-combobox-selected]", { hasText: option });
  for (let presses = 0; presses < maxPresses && (await selected.count()) === 0; presses++)
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  expect(await list.inputValue()).toBe(option);
}
