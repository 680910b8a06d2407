import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { browserProgram, launchBrowser } from "./browser.ts";
import { config as house, hello, keys } from "./house.ts";

const program = browserProgram();
const root = join(import.meta.dirname, "../..");

describe.skipIf(program === undefined)("the console in a browser", { timeout: 120_000 }, () => {
  let suite: Suite;
  let browser: Browser;
  beforeAll(async () => {
    execFileSync(process.execPath, [join(root, "services/console/build.ts")]);
    suite = await startSuite({ config: house });
    browser = await launchBrowser(program ?? "");
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await suite?.[Symbol.asyncDispose]();
  });

  const linkFor = async (role: string): Promise<string> =>
    (await suite.ask<{ url: string }>("operator", "link", "--role", role, "--name", "ada")).url;

  /** A browser of its own that is signed in, and its page. A script that the policy refuses fails the test. */
  async function signedIn(role = "admin"): Promise<{ page: Page; context: BrowserContext } & AsyncDisposable> {
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => void errors.push(message));
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("Failed to load resource"))
        errors.push(message.text());
    });
    await page.goto(await linkFor(role));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    return {
      page,
      context,
      async [Symbol.asyncDispose]() {
        await context.close();
        expect(errors).toEqual([]);
      },
    };
  }

  const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${suite.controlUrl}${path}`, init);

  async function call(): Promise<void> {
    const headers = { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" };
    const body = JSON.stringify(hello("chat", "Hi"));
    expect((await fetch(`${suite.edgeUrl}/v1/chat/completions`, { method: "POST", headers, body })).status).toBe(200);
  }

  test("signs in by a link once, shows what gatectl counts, and signs out", async () => {
    await until("the first call", async () => call().then(() => true));
    const calls = (): Promise<readonly { sums: Record<string, string> }[]> => suite.ask("usage", "--by", "model");
    await until("the call to be in the books", async () => (await calls()).length > 0);

    const link = await linkFor("admin");
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    const figure = (name: string) => page.locator(`[data-figure="${name}"]`);
    const counted = (await calls()).reduce((sum, { sums }) => sum + Number(sums["calls"]), 0);
    await until("the page to count", async () => (await figure("Calls").textContent()) === String(counted));

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Open the sign-in link").waitFor();
    await page.goto(`${suite.controlUrl}/console/calls`);
    await page.getByText("Open the sign-in link").waitFor();

    await page.goto("about:blank");
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This sign-in link has been used or has expired.").waitFor();
    await context.close();
  });

  test("shows a call's bill as a sum that adds up to its cost", async () => {
    await call();
    await using session = await signedIn();
    const { page } = session;
    await page.getByRole("link", { name: "Calls" }).click();
    const table = page.getByRole("table", { name: "Calls" });
    await table.getByRole("link").first().click();
    const bill = page.getByRole("table", { name: "Cost" });
    await bill.waitFor();
    const cells = await bill.locator("tbody tr td:last-child").allTextContents();
    const sum = cells.reduce((all, text) => all + Number(text.slice(1)), 0);
    const [total = ""] = await bill.locator("tfoot th:last-child").allTextContents();
    expect(Number(total.slice(1))).toBeCloseTo(sum, 9);
    expect(Number(total.slice(1))).toBeGreaterThan(0);
  });

  test("creates an account, credits it, makes a key that is shown once, and makes the first call with it", async () => {
    await using session = await signedIn();
    const { page } = session;
    await page.getByRole("link", { name: "Accounts and keys" }).click();
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByLabel("Id").fill("not an id");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("id must be letters, digits").waitFor();
    await page.getByLabel("Id").fill("team-a");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("link", { name: "team-a" }).click();
    await page.getByLabel("Amount").fill("5");
    await page.getByLabel("Reason").fill("<b>first</b>");
    await page.getByRole("button", { name: "Credit", exact: true }).click();
    await page.getByRole("table", { name: "Credits" }).getByRole("cell", { name: "<b>first</b>" }).waitFor();
    await page.locator('[data-figure="Available"]', { hasText: "$15.00" }).waitFor();

    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Name").fill("laptop");
    await page.getByRole("button", { name: "Make", exact: true }).click();
    const key = (await page.getByLabel("Key", { exact: true }).textContent()) ?? "";
    expect(key).toMatch(/^sk-/);
    await page.getByRole("button", { name: "Make the first call" }).click();
    await page.getByText("Answer").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("cell", { name: "laptop", exact: true }).waitFor();
    expect(await page.content()).not.toContain(key);

    await page.getByRole("button", { name: "Verify receipts" }).click();
    await page.getByText("The books are consistent").waitFor();
    await page.getByRole("button", { name: "disable laptop" }).click();
    await page.getByText("disabled", { exact: true }).waitFor();
  });

  test("tests, disables and enables a channel, and lists the models", async () => {
    await using session = await signedIn();
    const { page } = session;
    await page.getByRole("link", { name: "Channels" }).click();
    await page
      .getByRole("button", { name: /^test / })
      .first()
      .click();
    await page
      .getByText(/answered in/)
      .first()
      .waitFor();
    const first = page.getByRole("button", { name: /^disable / }).first();
    const name = ((await first.getAttribute("aria-label")) ?? "").slice("disable ".length);
    await first.click();
    await page.getByRole("button", { name: `enable ${name}`, exact: true }).click();
    await page.getByRole("button", { name: `disable ${name}`, exact: true }).waitFor();
    await page.getByRole("link", { name: "Models" }).click();
    const model = page.getByRole("table", { name: "Models" }).getByRole("link", { name: "chat", exact: true });
    await model.waitFor();
    expect(await model.count()).toBe(1);
  });

  test("asks two models side by side in the playground", async () => {
    await using session = await signedIn();
    const { page } = session;
    await page.getByRole("link", { name: "Playground" }).click();
    await page.getByLabel("Key").fill(keys.demo);
    const beside = page.getByRole("combobox", { name: "Compare with" });
    await beside.click();
    await page.getByRole("option").last().click();
    await page.getByLabel("Message").fill("Hello");
    await page.getByRole("button", { name: "Send" }).click();
    await until("both answers", async () => (await page.getByText(/first token .* tokens/).count()) === 2);
  });

  test("follows the keyboard alone from the link to a page", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(await linkFor("viewer"));
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("link", { name: "Models" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Models" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/models");
    await context.close();
  });

  test("fits a phone: the navigation opens from a button, and no page is wider than the screen", async () => {
    await using session = await signedIn();
    const { page } = session;
    await page.setViewportSize({ width: 375, height: 700 });
    for (const name of ["Overview", "Calls", "Accounts and keys", "Models", "Channels", "Playground"]) {
      await page.getByRole("button", { name: "Navigation" }).click();
      await page.getByRole("link", { name }).click();
      await page.getByRole("heading", { name }).waitFor();
      const wider = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      expect(wider, name).toBeLessThanOrEqual(0);
    }
  });

  describe("refuses", () => {
    async function cookieOf(role: string): Promise<string> {
      const link = new URL(await linkFor(role)).hash.slice(1);
      const answer = await ask("/session", {
        method: "POST",
        headers: { origin: suite.controlUrl },
        body: JSON.stringify({ link }),
      });
      expect(answer.status).toBe(200);
      const cookie = answer.headers.get("set-cookie") ?? "";
      expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
      return cookie.split(";")[0] ?? "";
    }
    const change = (cookie: string, headers: Record<string, string>): Promise<Response> =>
      ask("/accounts", { method: "POST", headers: { cookie, ...headers }, body: JSON.stringify({ id: "refused" }) });

    test("a stolen cookie after sign-out", async () => {
      const cookie = await cookieOf("admin");
      expect((await ask("/accounts", { headers: { cookie } })).status).toBe(200);
      const end = { method: "POST", headers: { cookie, origin: suite.controlUrl } };
      expect((await ask("/session/end", end)).status).toBe(200);
      expect((await ask("/accounts", { headers: { cookie } })).status).toBe(401);
    });

    test("a viewer's change, and reads without a session", async () => {
      const cookie = await cookieOf("viewer");
      expect((await ask("/accounts", { headers: { cookie } })).status).toBe(200);
      expect((await change(cookie, { origin: suite.controlUrl })).status).toBe(403);
      expect((await ask("/accounts")).status).toBe(401);
      expect((await ask("/sign-in-links", { method: "POST", body: "{}" })).status).toBe(401);
    });

    test.each([
      { from: "another site", origin: "https://evil.example" },
      { from: "a sandboxed frame", origin: "null" },
    ])("a change and a sign-in from $from", async ({ origin }) => {
      const cookie = await cookieOf("admin");
      expect((await change(cookie, { origin })).status).toBe(403);
      expect((await change(cookie, {})).status).toBe(403);
      expect((await ask("/session", { method: "POST", headers: { origin }, body: "{}" })).status).toBe(403);
      expect((await ask("/accounts/refused", { headers: { cookie } })).status).toBe(404);
    });

    test("a page in a frame, and scripts that are not its own", async () => {
      const policy = (await ask("/console/")).headers.get("content-security-policy") ?? "";
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain(`connect-src 'self' ${new URL(suite.edgeUrl).origin}`);
    });
  });
});
