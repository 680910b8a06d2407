import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "@modelgate/testkit";
import type { Page } from "playwright-core";

/** Every page of the console, by its link and its address. */
export const consolePages = [
  { name: "Overview", path: "overview" },
  { name: "Calls", path: "calls" },
  { name: "Accounts and keys", path: "accounts" },
  { name: "Video tasks", path: "tasks" },
  { name: "Models", path: "models" },
  { name: "Channels", path: "channels" },
  { name: "Configuration", path: "configuration" },
  { name: "Operators", path: "operators" },
  { name: "System", path: "system" },
  { name: "Audit", path: "audit" },
  { name: "Playground", path: "playground" },
] as const;

/** Writes a picture of every page into a folder, with a browser that is signed in; the files. */
export async function takeScreenshots(page: Page, controlUrl: string, folder: string): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  await page.setViewportSize({ width: 1_200, height: 750 });
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const files: string[] = [];
  for (const { name, path } of consolePages) {
    await page.goto(`${controlUrl}/console/${path}`);
    await page.getByRole("heading", { name }).waitFor();
    await until(`${name} to be loaded`, async () => (await page.getByLabel("Loading").count()) === 0);
    await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => undefined);
    const file = join(folder, `${path}.png`);
    await page.screenshot({ path: file });
    files.push(file);
  }
  return files;
}
