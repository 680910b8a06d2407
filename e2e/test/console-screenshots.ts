import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "@modelgate/testkit";
import type { Page } from "playwright-core";
import { showPage } from "./console-browser.ts";

/** All pages of the console. */
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

interface Picture {
  readonly file: string;
  readonly path: string;
  /** Clicks that open the view. */
  readonly open?: (page: Page) => Promise<unknown>;
  readonly dark?: true;
}

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole("button", { name, exact: true }).first().click();

async function askTwoModels(page: Page): Promise<void> {
  await page.getByRole("combobox", { name: "Compare with" }).click();
  await page.getByRole("option", { name: "claude-sonnet-4-5" }).click();
  await page.getByLabel(/^Message/).fill("Why is the sky blue?");
  await press(page, "Send");
  await until("both costs", async () => (await page.getByText(/^cost \$/).count()) === 2);
}

async function listVendor(page: Page): Promise<void> {
  await press(page, "Add a vendor");
  await page.getByRole("combobox", { name: "Vendor" }).click();
  await page.getByRole("option", { name: "OpenAI", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Address").waitFor();
}

async function makeKey(page: Page): Promise<void> {
  await press(page, "Create key");
  await page.getByRole("dialog").getByLabel(/^Name/).fill("laptop");
  await press(page, "Create");
  await press(page, "Make the first call");
  await page.getByText("Answer").waitFor();
}

/** The screenshot `call` shows the newest call. */
const pictures: readonly Picture[] = [
  ...consolePages.map(({ path }) => ({ file: path, path })),
  { file: "overview-dark", path: "overview", dark: true },
  {
    file: "call",
    path: "calls?span=1d",
    async open(page) {
      await page.getByRole("table", { name: "Calls" }).getByRole("link").first().click();
      await page.getByRole("table", { name: "Cost" }).waitFor();
    },
  },
  { file: "account", path: "accounts/acme" },
  { file: "add-vendor", path: "channels", open: listVendor },
  { file: "edit-model", path: "models", open: (page) => press(page, "Edit the model gpt-5-mini") },
  { file: "edit-key", path: "accounts/acme", open: (page) => press(page, "Edit the key production") },
  { file: "new-key", path: "accounts/acme", open: makeKey },
  { file: "playground", path: "playground", open: askTwoModels },
];

/** Writes the documentation's screenshots into a folder. The page must be signed in. Returns the file names. */
export async function takeScreenshots(page: Page, controlUrl: string, folder: string): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  await page.setViewportSize({ width: 1_280, height: 800 });
  const files = new Set<string>();
  for (const picture of pictures) files.add(await take(page, controlUrl, folder, picture));
  await page.evaluate("localStorage.setItem('modelgate-language', 'zh')");
  await page.reload();
  files.add(await take(page, controlUrl, folder, { file: "overview-zh", path: "overview" }));
  await page.evaluate("localStorage.removeItem('modelgate-language')");
  return [...files];
}

async function take(page: Page, controlUrl: string, folder: string, picture: Picture): Promise<string> {
  await page.emulateMedia({ colorScheme: picture.dark === true ? "dark" : "light", reducedMotion: "reduce" });
  await showPage(page, `${controlUrl}/console/${picture.path}`);
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  await picture.open?.(page);
  await until("all to be loaded", async () => (await page.getByLabel(/^(Loading|正在加载)$/).count()) === 0);
  const file = join(folder, `${picture.file}.png`);
  await page.screenshot({ path: file });
  return file;
}
