import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { stringify } from "yaml";
import { browserProgram, launchBrowser } from "./browser.ts";
import { buildConsole, visitSignedIn } from "./console-browser.ts";
import { consolePages, takeScreenshots } from "./console-screenshots.ts";
import { fillWeek, shownConfig } from "./screenshot-data.ts";
import { quickLimits } from "../../services/video/test/films.ts";
import { another, keys, post } from "./suite-client.ts";

const program = browserProgram();
/** Folder for the screenshots, relative to the root of the repository. They are not stored if it is undefined. */
const kept = process.env["SCREENSHOTS"];

describe.skipIf(program === undefined)("the documentation's screenshots", () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-screenshots-"));
  let suite: Suite;
  let browser: Browser;
  beforeAll(async () => {
    buildConsole();
    await fillWeek(folder);
    const seed = join(folder, "seed.yaml");
    writeFileSync(seed, stringify(shownConfig));
    const env = { MODELGATE_CONFIG: "", MODELGATE_SEED: seed, MODELGATE_DATA: folder };
    suite = await startSuite({ config: shownConfig, env, limits: quickLimits });
    browser = await launchBrowser(program ?? "");
    for (const model of ["gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash"])
      await until(`a call of ${model}`, async () => (await post(suite, another(model))).status === 200);
    const headers = { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "sora-2", prompt: "A boat", seconds: "4" });
    await fetch(`${suite.edgeUrl}/v1/videos`, { method: "POST", headers, body });
    await suite.ask("operator", "create", "grace", "--role", "operator");
    await suite.ask("account", "top-up", "research", "10", "--reason", "invoice 2026-11");
  });
  afterAll(async () => {
    await browser?.close();
    await suite?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the script takes one of every page, of its forms, in dark mode and in Chinese", async () => {
    const target = kept === undefined ? join(folder, "pictures") : resolve(import.meta.dirname, "../..", kept);
    await using session = await visitSignedIn(browser, suite);
    const files = await takeScreenshots(session.page, suite.controlUrl, target);
    expect(files.length).toBeGreaterThan(consolePages.length);
    for (const file of files) expect(statSync(file).size, file).toBeGreaterThan(5_000);
    expect(session.errors).toEqual([]);
  });
});
