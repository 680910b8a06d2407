import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { until, type Suite } from "@modelgate/testkit";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { newPage } from "./browser.ts";

const root = join(import.meta.dirname, "../..");
const unknownPath = "/console/none";

/** Page of a new browser context. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, and violations of the content security policy. */
  readonly errors: readonly string[];
}

export function buildConsole(): void {
  execFileSync(process.execPath, [join(root, "services/console/build.ts")]);
}

export async function visit(browser: Browser): Promise<Visit> {
  const page = await newPage(browser, {
    permissions: ["clipboard-read", "clipboard-write"],
    reducedMotion: "reduce",
    // Small, because it is drawn by the CPU. The navigation of a narrower page is closed.
    viewport: { width: 900, height: 600 },
  });
  const context = page.context();
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => void errors.push(message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("Failed to load resource")) errors.push(message.text());
  });
  return { page, context, errors, [Symbol.asyncDispose]: () => context.close() };
}

export async function visitSignedIn(browser: Browser, suite: Suite, role = "admin"): Promise<Visit> {
  const { url } = await suite.ask<{ url: string }>("operator", "link", "--role", role, "--name", "ada");
  const opened = await visit(browser);
  await opened.page.goto(url);
  await opened.page.getByRole("button", { name: "Sign in" }).click();
  await opened.page.getByRole("heading", { name: "Overview" }).waitFor();
  return opened;
}

/** Opens an address of the console. If the page shows the console, it is not loaded again, which saves time. */
export async function showPage(page: Page, address: string): Promise<void> {
  const { origin } = new URL(address);
  if (!page.url().startsWith(`${origin}/console/`)) return void (await page.goto(address));
  await leaveView(page);
  await page.evaluate(`history.pushState({}, "", ${JSON.stringify(address)})`);
}

/** Replaces the view of a page by that of an unknown address. */
export async function leaveView(page: Page): Promise<void> {
  const { pathname } = new URL(page.url());
  if (!pathname.startsWith("/console/") || pathname === unknownPath) return;
  await page.evaluate(`history.pushState({}, "", ${JSON.stringify(unknownPath)})`);
  await page.getByText("Not Found").waitFor();
}

/** Waits until no part of the page is being loaded. */
export async function loaded(page: Page): Promise<void> {
  // Other locators compute the label of each element.
  const loading = page.locator('[aria-label="Loading"], [aria-label="正在加载"]');
  await until("everything to be loaded", async () => (await loading.count()) === 0);
}
