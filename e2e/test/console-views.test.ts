import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { stringify } from "yaml";
import { axeFaults } from "./axe-faults.ts";
import { browserProgram, closePages, sharedBrowser } from "./browser.ts";
import { faultsOfTheme } from "./colour-faults.ts";
import { buildConsole, leaveView, loaded, showPage, visit, visitSignedIn, type Visit } from "./console-browser.ts";
import { prepareViews, views, type CreatedObjects, type View } from "./console-views.ts";
import { fillWeek, shownConfig } from "./screenshot-data.ts";
import { quickLimits } from "../../services/video/test/films.ts";

const program = browserProgram();
const root = join(import.meta.dirname, "../..");
const [desk, phone] = [
  { width: 1_280, height: 800 },
  { width: 375, height: 700 },
];

/** Folder for the documentation's pictures, relative to the root of the repository. */
const screenshotsFolder = process.env["SCREENSHOTS"];
/** axe needs 20 times as long for this rule as `faultsOfTheme`, which finds the same faults. */
const withoutContrast = { without: ["color-contrast"] };

describe.skipIf(program === undefined)("every view of the console", () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-views-"));
  let suite: Suite;
  let browser: Browser;
  let session: Visit;
  let stranger: Visit;
  let created: CreatedObjects;
  beforeAll(async () => {
    buildConsole();
    await fillWeek(folder);
    const seed = join(folder, "seed.yaml");
    writeFileSync(seed, stringify(shownConfig));
    const env = { MODELGATE_CONFIG: "", MODELGATE_SEED: seed, MODELGATE_DATA: folder };
    suite = await startSuite({ config: shownConfig, env, limits: quickLimits });
    browser = await sharedBrowser(program ?? "");
    created = await prepareViews(suite);
    session = await visitSignedIn(browser, suite);
    stranger = await visit(browser);
  });
  afterAll(async () => {
    await closePages(browser);
    await suite?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function bringUp({ path, open, shows, isSignedOut }: View): Promise<Page> {
    const { page } = isSignedOut === true ? stranger : session;
    // With an empty view, Chromium changes theme and size faster.
    await leaveView(page);
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.setViewportSize(desk);
    await showPage(page, `${suite.controlUrl}/console/${path(created)}`);
    await open?.(page, created);
    await shows(page).waitFor();
    await loaded(page);
    return page;
  }

  test("the checks of colours and scrolled regions find what axe finds", async () => {
    await using other = await visit(browser);
    await other.page.setContent(badPage);
    const idsIn = (faults: readonly string[]) =>
      faults.flatMap((each) => /id="(\w+)"/.exec(each)?.[1] ?? []).toSorted();
    const rules = /^(color-contrast|scrollable-region-focusable) /;
    const ofAxe = (await axeFaults(other.page)).filter((fault) => rules.test(fault));
    expect(idsIn(ofAxe)).toEqual(["bold", "field", "half", "mixed", "pale", "region", "sheer", "unread"]);
    expect(idsIn(await faultsOfTheme(other.page))).toEqual(idsIn(ofAxe));
  });

  test.each(views)("$name: light, dark, by keyboard, on a phone", async (view) => {
    const page = await bringUp(view);
    if (view.picture !== undefined) await takePicture(page, view.picture);
    await view.afterPicture?.(page, created);
    // The page behind a dialog is tested in a separate row.
    const part = (await page.getByRole("dialog").count()) > 0 ? "[role=dialog]" : undefined;
    const rules = view.hasSiblingBackground === true ? {} : withoutContrast;
    expect(await axeFaults(page, { part, ...rules }), "in light").toEqual([]);
    expect(await faultsOfTheme(page), "contrast in light").toEqual([]);
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    if (view.darkPicture !== undefined) await takePicture(page, view.darkPicture);
    if (view.differsOnPhone === true) expect(await faultsOfTheme(page), "in dark").toEqual([]);
    if (view.hasSiblingBackground === true)
      expect(await axeFaults(page, { only: ["color-contrast"] }), "by axe, in dark").toEqual([]);
    expect(await notReachedByTab(page), "by keyboard").toEqual([]);
    await page.setViewportSize(phone);
    expect(await staysWider(page), "wider than a phone").toEqual([]);
    expect(await faultsOfTheme(page), "in dark, on a phone").toEqual([]);
    if (view.differsOnPhone === true) expect(await axeFaults(page, rules), "on a phone").toEqual([]);
    expect(session.errors).toEqual([]);
  });

  test("the overview in Chinese has a picture", async () => {
    await leaveView(session.page);
    await session.page.evaluate("localStorage.setItem('modelgate-language', 'zh')");
    await session.page.reload();
    const page = await bringUp({ name: "", path: () => "overview", shows: (page) => page.getByText("总览").first() });
    expect(await page.getAttribute("html", "lang")).toBe("zh-CN");
    await takePicture(page, "overview-zh");
  });

  test("each picture of the documentation is of a view", () => {
    const names = views.flatMap(({ picture = [], darkPicture = [] }) => [picture, darkPicture].flat());
    const text = readFileSync(join(root, "docs/guide/console.md"), "utf8");
    const shown = [...text.matchAll(/\(\/console\/([\w-]+)\.png\)/g)].map(([, name]) => name);
    expect(shown.length).toBeGreaterThan(10);
    expect(shown.filter((name = "") => ![...names, "overview-zh"].includes(name))).toEqual([]);
  });
});

/** Stores a picture for the documentation. Without a folder for them, only one is taken, as a test. */
async function takePicture(page: Page, name: string): Promise<void> {
  if (screenshotsFolder === undefined && name !== "overview") return;
  const path = screenshotsFolder === undefined ? undefined : resolve(root, screenshotsFolder, `${name}.png`);
  const picture = await page.screenshot(path === undefined ? {} : { path });
  expect(picture.length, name).toBeGreaterThan(5_000);
}

/** Page with texts of little and of enough contrast, and with a scrolled region. */
const badPage = `<!doctype html><html lang="en"><title>colours</title><body style="background: #fff"><main><h1>Colours</h1>
  <p id="pale" style="color: #888">pale</p>
  <p id="grey" style="color: #767676">readable</p>
  <p id="large" style="color: #888; font-size: 24px">large</p>
  <p id="bold" style="color: #888; font-size: 16px; font-weight: 700">bold</p>
  <p id="half" style="opacity: 0.5">half</p>
  <div style="background: #222"><p id="sheer" style="color: rgb(255 255 255 / 40%)">sheer</p></div>
  <div style="background: rgb(0 0 0 / 80%)"><p id="inverted" style="color: #fff">inverted</p></div>
  <p id="mixed" style="color: color-mix(in srgb, #000 30%, #fff)">mixed</p>
  <p id="unread" aria-hidden="true" style="color: #eee">unread</p>
  <p id="star" style="color: #eee">*</p>
  <label>Field <input id="field" value="pale" style="color: #999; background: #fff"></label>
  <button id="off" disabled style="color: #aaa; background: #fff">off</button>
  <div id="region" style="height: 30px; overflow: auto"><p style="height: 200px">scrolled</p></div>
  <div id="focused" tabindex="0" style="height: 30px; overflow: auto"><p style="height: 200px">scrolled</p></div>
</main></body></html>`;

/** Returns the elements that stay wider than the window. Charts need some time to adapt. */
async function staysWider(page: Page): Promise<readonly string[]> {
  let found = await wider(page);
  for (let attempts = 0; attempts < 40 && found.length > 0; attempts++) {
    await pause(50);
    found = await wider(page);
  }
  return found;
}

function wider(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll("main *, [role=dialog] *")]
      .filter((each) => each.getBoundingClientRect().right > clientWidth && each.closest(".mantine-ScrollArea-root") === null)
      .map((each) => each.outerHTML.slice(0, 150))
      .concat("wider by " + (scrollWidth - clientWidth) + " px");
  })()`);
}

const maxPresses = 150;

/**
 * Returns the visible controls that Tab does not reach. In a group of tabs or radio buttons, Tab needs to reach only
 * one.
 */
async function notReachedByTab(page: Page): Promise<readonly string[]> {
  await page.evaluate(focusScript);
  let unreachable: readonly string[] = await page.evaluate("notReached()");
  let presses = 0;
  while (presses < maxPresses && unreachable.length > 0) {
    presses += unreachable.length;
    // Sent together, so that Chromium need not draw the page after each press.
    await Promise.all(unreachable.map(() => page.keyboard.press("Tab")));
    unreachable = await page.evaluate("notReached()");
  }
  return unreachable;
}

const focusScript = `
  globalThis.reached = new Set();
  globalThis.groupOf = (each) => each.type === "radio" ? "radio " + each.name
    : each.getAttribute("role") === "tab" ? each.closest("[role=tablist]") : each;
  document.addEventListener("focusin", ({ target }) => reached.add(groupOf(target)));
  globalThis.notReached = () => {
    if (document.activeElement !== document.body) reached.add(groupOf(document.activeElement));
    const scope = document.querySelector("[role=dialog]") ?? document;
    return [...scope.querySelectorAll("a[href], button, input, textarea, select, audio, video")]
      .filter((each) => !each.disabled && each.type !== "hidden" && !reached.has(groupOf(each)))
      .filter((each) => each.checkVisibility({ visibilityProperty: true }))
      .filter((each) => each.getBoundingClientRect().width > 0 && each.closest("[aria-hidden=true]") === null)
      .map((each) => each.outerHTML.slice(0, 200));
  };`;
