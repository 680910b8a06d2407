import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { browserProgram, launchBrowser } from "./browser.ts";
import { buildConsole, visitSignedIn } from "./console-browser.ts";
import { config as house, hello, keys, post } from "./house.ts";

const program = browserProgram();
const vendorKey = "sk-of-a-form-0123456789";

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

describe.skipIf(program === undefined)("the configuration by forms, in the books", { timeout: 120_000 }, () => {
  let suite: Suite;
  let browser: Browser;
  beforeAll(async () => {
    buildConsole();
    suite = await startSuite({ config: house, env: { MODELGATE_CONFIG: "" } });
    browser = await launchBrowser(program ?? "");
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await suite?.[Symbol.asyncDispose]();
  });

  test("a model is added, wrong fields are named, it is edited and removed; each is a version", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    let dialog = await openForm(page, "Models", "Add a model");
    await dialog.getByLabel(/^Name/).fill("fresh-1.0");
    await chooseKind(page, "chat");
    await dialog.getByLabel("Input, $ per million", { exact: true }).fill("dear");
    await dialog.getByRole("button", { name: "Save" }).click();
    await until("the error at its field", async () => {
      const input = dialog.getByLabel("Input, $ per million", { exact: true });
      return (await input.getAttribute("aria-invalid")) === "true";
    });
    await dialog.getByLabel("Input, $ per million", { exact: true }).fill("2.5");
    await dialog.getByLabel("Note").fill("a model by form");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is in force.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("cell", { name: "input 2.5" }).waitFor();

    dialog = await openForm(page, "Models", "Edit the model fresh-1.0");
    expect(await dialog.getByLabel("Input, $ per million", { exact: true }).inputValue()).toBe("2.5");
    await dialog.getByLabel("Other settings, as JSON").fill("{");
    await dialog.getByText("This is not a JSON object.").waitFor();
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Other settings, as JSON").fill('{"price":{"serviceTiers":{"flex":0.5}}}');
    await dialog.getByLabel("Output, $ per million", { exact: true }).fill("7");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is in force.").waitFor();
    const { stdout } = await suite.gatectl("config", "export");
    expect(stdout).toMatch(/fresh-1\.0:\s+price:\s+serviceTiers:\s+flex: 0\.5\s+input: 2\.5\s+output: 7\s+kind: chat/);
    await page.keyboard.press("Escape");

    dialog = await openForm(page, "Models", "Edit the model fresh-1.0");
    await dialog.getByRole("button", { name: "Remove" }).click();
    // The row is gone, and what became of it is still said.
    await dialog.getByText("Saved as version 4. It is in force.").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await until(
      "the model to be gone",
      async () => (await page.getByRole("cell", { name: "fresh-1.0" }).count()) === 0,
    );
    expect(await suite.ask("config", "history")).toMatchObject([
      { version: 4, actor: "ada" },
      { version: 3, actor: "ada" },
      { version: 2, actor: "ada", note: "a model by form" },
      { version: 1 },
    ]);
    expect(session.errors).toEqual([]);
  });

  test("a channel and a group are made and edited; a vendor's key is sealed and never shown again", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    let dialog = await openForm(page, "Models", "Add a model");
    await dialog.getByLabel(/^Name/).fill("formed");
    await chooseKind(page, "chat");
    await dialog.getByLabel("Input, $ per million", { exact: true }).fill("1");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is in force.").waitFor();
    await page.keyboard.press("Escape");

    dialog = await openForm(page, "Channels", "Add a channel");
    await dialog.getByLabel(/^Name/).fill("mine");
    await dialog.getByLabel("Vendor", { exact: true }).fill("absent");
    await dialog.getByLabel(/^Address/).fill(`${suite.simulator.url}/at/mine/openai/v1`);
    await dialog.getByLabel("Add a key", { exact: true }).fill(vendorKey);
    await dialog.getByLabel(/^Models, one a line/).fill("formed = demo-chat");
    await dialog.getByLabel("Weight").fill("-1");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/is not a known vendor: absent/).waitFor();
    expect(await dialog.getByLabel("Weight").getAttribute("aria-invalid")).toBe("true");
    await dialog.getByLabel("Vendor", { exact: true }).fill("openai");
    await dialog.getByLabel("Weight").fill("2");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is in force.").waitFor();
    await page.keyboard.press("Escape");

    dialog = await openForm(page, "Channels", "Edit the channel mine");
    expect(await dialog.getByLabel(/^Keys, one a line/).inputValue()).toMatch(/^kept:[\w-]+$/);
    expect(await dialog.getByLabel(/^Models, one a line/).inputValue()).toBe("formed = demo-chat");
    await dialog.getByLabel("Open calls at most", { exact: true }).fill("7");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is in force.").waitFor();
    expect(await page.content()).not.toContain(vendorKey);
    await page.keyboard.press("Escape");

    dialog = await openForm(page, "Models", "Add a group");
    await dialog.getByLabel(/^Name/).fill("cheap");
    await dialog.getByLabel(/^Models, separated/).fill("formed");
    await dialog.getByLabel("Price multiplier").fill("0.5");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is in force.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("table", { name: "Groups" }).getByRole("cell", { name: "cheap", exact: true }).waitFor();

    await suite.ask("account", "create", "formed", "--balance", "5");
    const { key } = await suite.ask<{ key: string }>("token", "create", "formed", "--group", "cheap");
    await until("a call of it", async () => (await post(suite, hello("formed"), key)).status === 200);
    const [request] = await suite.simulator.requests("mine");
    expect(request?.headers["authorization"]).toBe(`Bearer ${vendorKey}`);
    expect(session.errors).toEqual([]);
  });

  test("a key is narrowed, given a budget and an end, and disabled; the audit has it", async () => {
    await suite.ask("account", "create", "narrow", "--balance", "5");
    await suite.ask("token", "create", "narrow", "--group", "default", "--name", "wide");
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/accounts/narrow`);
    await page.getByRole("button", { name: "Edit the key wide" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^Models/).fill("absent");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText('There is no model "absent".').waitFor();
    await dialog.getByLabel(/^Models/).fill("formed");
    await dialog.getByLabel(/^Dollars per day/).fill("1.50");
    await dialog.getByLabel(/^Expires/).fill("2090-01-01");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("cell", { name: "$1.50 a day" }).waitFor();
    await page.getByRole("cell", { name: "formed" }).waitFor();
    await page.getByRole("button", { name: "disable wide" }).click();
    await page.getByRole("button", { name: "enable wide" }).waitFor();
    await page.getByRole("button", { name: "Edit the key wide" }).click();
    expect(await dialog.getByLabel(/^Dollars per day/).inputValue()).toBe("1.50");
    await dialog.getByLabel(/^Models/).fill("");
    await dialog.getByLabel(/^Dollars per day/).fill("");
    await dialog.getByLabel(/^Expires/).fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("cell", { name: "all models of the group" }).waitFor();
    const [token] = await suite.ask<object[]>("token", "list", "narrow");
    expect(token).toMatchObject({ name: "wide", group: "default", disabled: true });
    for (const gone of ["models", "budget", "expiresAt"]) expect(token).not.toHaveProperty(gone);
    const audit = await suite.ask<{ action: string }[]>("audit", "list", "narrow");
    expect(audit.map(({ action }) => action)).toEqual([
      "token.set",
      "token.disable",
      "token.set",
      "token.create",
      "account.create",
    ]);
  });

  test("a refusal is said in Chinese where that is chosen, with control's own words", async () => {
    await suite.ask("account", "create", "zh", "--balance", "5");
    await suite.ask("token", "create", "zh", "--group", "default", "--name", "zh");
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("button", { name: "简体中文" }).click();
    await page.getByRole("heading", { name: "总览" }).waitFor();
    await page.goto(`${suite.controlUrl}/console/accounts/zh`);
    await page.getByRole("button", { name: "编辑密钥 zh" }).click();
    await page.getByLabel(/^模型/).fill("absent");
    await page.getByRole("button", { name: "保存", exact: true }).click();
    const error = page.getByText('此值无效。（原文：There is no model "absent".）');
    await error.waitFor();
    expect(await error.count()).toBe(1);
  });

  test("a form is filled and sent by keyboard alone", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/models`);
    await page.getByRole("button", { name: "Add a model" }).waitFor();
    await tabTo(page, "Add a model");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel(/^Name/).waitFor();
    await tabTo(page, "Name");
    await page.keyboard.type("typed");
    await tabTo(page, "Kind");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "chat", exact: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await tabTo(page, "Save");
    await page.keyboard.press("Enter");
    await page.getByText(/It is in force|Not saved/).waitFor();
    expect(await page.getByText("It is in force").count()).toBe(1);
    await page.keyboard.press("Escape");
    await until("the dialog to be closed", async () => (await page.getByRole("dialog").count()) === 0);
  });
});

describe.skipIf(program === undefined)("the configuration by forms, in a file", { timeout: 120_000 }, () => {
  let suite: Suite;
  let browser: Browser;
  beforeAll(async () => {
    buildConsole();
    suite = await startSuite({ config: house });
    browser = await launchBrowser(program ?? "");
    await until("a first call", async () => (await post(suite, hello("chat"))).status === 200);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await suite?.[Symbol.asyncDispose]();
  });

  test("a form offers its change as YAML to copy, and shows no key", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    const dialog = await openForm(page, "Channels", "Edit the channel main");
    expect(await page.content()).not.toContain("key-of-main");
    await dialog.getByLabel("Weight").fill("3");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("The configuration is a file: copy this into it").waitFor();
    const yaml = (await dialog.getByRole("status").textContent()) ?? "";
    expect(yaml).toContain("weight: 3");
    expect(yaml).toContain("(hidden)");
    expect(yaml).not.toContain("key-of-main");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByText("# remove channels.main").waitFor();
    expect((await post(suite, hello("chat"), keys.demo)).status).toBe(200);
    expect(session.errors).toEqual([]);
  });
});

/** Presses Tab until what has the focus is called so. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<string>(
      "(() => { const at = document.activeElement; return at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? ''; })()",
    );
    if (focused.replace(/\s*\*$/, "") === name) return;
  }
  throw new Error(`${name} is not reached by Tab`);
}
