import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { stringify } from "yaml";
import { axeFaults } from "./axe-faults.ts";
import { browserProgram, closePages, sharedBrowser } from "./browser.ts";
import { faultsOfTheme } from "./colour-faults.ts";
import { buildConsole, leaveView, loaded, showPage, visit, visitSignedIn, type Visit } from "./console-browser.ts";
import { prepareViews, views, type CreatedObjects, type Dialog, type View } from "./console-views.ts";
import { fillWeek, shownConfig } from "./screenshot-data.ts";
import { quickLimits } from "../../services/video/test/films.ts";

const program = browserProgram();
const root = join(import.meta.dirname, "../..");

/** Folder for the documentation's pictures, relative to the root of the repository. Without it, none is taken. */
const screenshotsFolder = process.env["SCREENSHOTS"];

/** Theme and size of a page. Only pictures need a large size, which Chromium draws by the CPU. */
const looks = {
  "light, on a desk": { colorScheme: "light", size: { width: screenshotsFolder ? 1_280 : 900, height: 800 } },
  "dark, on a desk": { colorScheme: "dark", size: { width: screenshotsFolder ? 1_280 : 900, height: 800 } },
  "dark, on a phone": { colorScheme: "dark", size: { width: 375, height: 700 } },
} as const;
type Look = keyof typeof looks;
/** axe needs 20 times as long for this rule as `faultsOfTheme`, which finds the same faults. */
const withoutContrast = { without: ["color-contrast"] };
const adaptsWithinMs = 60_000;

describe.skipIf(program === undefined)("every view of the console", () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-views-"));
  let suite: Suite;
  let browser: Browser;
  let session: Visit;
  let stranger: Visit;
  let created: CreatedObjects;
  beforeAll(async () => {
    buildConsole();
    if (screenshotsFolder !== undefined) await fillWeek(folder);
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
    await setLook(page, "light, on a desk");
    await showPage(page, `${suite.controlUrl}/console/${path(created)}`);
    await open?.(page, created);
    await shows(page).waitFor();
    await loaded(page);
    return page;
  }

  test("the checks find what axe finds, and controls that a keyboard does not reach or leave", async () => {
    const { page } = stranger;
    await page.setContent(badPage);
    const idsIn = (faults: readonly string[]) =>
      faults.flatMap((each) => /id="(\w+)"/.exec(each)?.[1] ?? []).toSorted();
    const rules = /^(color-contrast|scrollable-region-focusable) /;
    const ofAxe = (await axeFaults(page)).filter((fault) => rules.test(fault));
    expect(idsIn(ofAxe)).toEqual(["bold", "field", "half", "mixed", "pale", "region", "sheer", "unread"]);
    expect(idsIn(await faultsOfTheme(page))).toEqual(idsIn(ofAxe));
    expect(idsIn(await notFocusable(page))).toEqual(["inactive", "skipped", "trap"]);
  });

  test.each(views)("$name: light, dark, by keyboard, on a phone", async (view) => {
    const page = await bringUp(view);
    await saveScreenshot(page, view.picture);
    await view.afterPicture?.(page, created);
    const rules = view.differsOnPhone === true ? {} : withoutContrast;
    expect(await axeFaults(page, rules)).toEqual([]);
    expect(await faultsOfLook(page), "light, on a desk").toEqual([]);
    expect(await notFocusable(page), "by keyboard").toEqual([]);
    if (view.differsOnPhone === true) {
      await setLook(page, "dark, on a desk");
      await saveScreenshot(page, view.darkPicture);
      expect(await faultsOfLook(page), "dark, on a desk").toEqual([]);
    }
    await setLook(page, "dark, on a phone");
    expect(await faultsOfLook(page), "dark, on a phone").toEqual([]);
    if (view.differsOnPhone === true) expect(await axeFaults(page, rules), "on a phone").toEqual([]);
    let look: Look = "dark, on a phone";
    for (const dialog of view.dialogs ?? []) look = await checkDialog(page, dialog, look);
    expect([...session.errors, ...stranger.errors]).toEqual([]);
  });

  /** Checks a dialog in the page's look, and then in another one, which it returns. */
  async function checkDialog(page: Page, dialog: Dialog, look: Look): Promise<Look> {
    const { name, open, shows, picture, afterPicture } = dialog;
    const first = screenshotsFolder === undefined ? look : "light, on a desk";
    await setLook(page, first);
    await open(page, created);
    await shows(page).waitFor();
    await loaded(page);
    await saveScreenshot(page, picture);
    await afterPicture?.(page, created);
    // The page behind the dialog has been checked.
    expect(await axeFaults(page, { part: "[role=dialog]", ...withoutContrast }), name).toEqual([]);
    expect(await faultsOfLook(page), `${name}, ${first}`).toEqual([]);
    expect(await notFocusable(page), `${name}, by keyboard`).toEqual([]);
    const second = first === "dark, on a phone" ? "light, on a desk" : "dark, on a phone";
    await setLook(page, second);
    expect(await faultsOfLook(page), `${name}, ${second}`).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    return second;
  }

  test.skipIf(screenshotsFolder === undefined)("the overview in Chinese has a picture", async () => {
    await session.page.evaluate("localStorage.setItem('modelgate-language', 'zh')");
    await session.page.reload();
    const page = await bringUp({ name: "", path: () => "overview", shows: (page) => page.getByText("总览").first() });
    expect(await page.getAttribute("html", "lang")).toBe("zh-CN");
    await saveScreenshot(page, "overview-zh");
  });
});

test("each picture of the documentation is of a view", () => {
  const pictures = views.flatMap(({ picture, darkPicture, dialogs = [] }) => [
    picture,
    darkPicture,
    ...dialogs.map((dialog) => dialog.picture),
  ]);
  const text = readFileSync(join(root, "docs/guide/console.md"), "utf8");
  const picturesInGuide = [...text.matchAll(/\(\/console\/([\w-]+)\.png\)/g)].map(([, name]) => name);
  expect(picturesInGuide.length).toBeGreaterThan(10);
  expect(picturesInGuide.filter((name) => ![...pictures, "overview-zh"].includes(name))).toEqual([]);
});

/** Saves a picture of the page for the documentation. */
async function saveScreenshot(page: Page, name: string | undefined): Promise<void> {
  if (screenshotsFolder === undefined || name === undefined) return;
  const picture = await page.screenshot({ path: resolve(root, screenshotsFolder, `${name}.png`) });
  expect(picture.length, name).toBeGreaterThan(5_000);
}

async function setLook(page: Page, look: Look): Promise<void> {
  const { colorScheme, size } = looks[look];
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.setViewportSize(size);
}

/** Returns texts of little contrast, regions that cannot be scrolled, and elements that stay wider than the window. */
async function faultsOfLook(page: Page): Promise<readonly string[]> {
  let tooWide: readonly string[] = [];
  // Charts need some time to adapt.
  const fits = async (): Promise<boolean> => (tooWide = await wider(page)).length === 0;
  await until("the page to fit into the window", fits, adaptsWithinMs).catch(() => undefined);
  return [...tooWide, ...(await faultsOfTheme(page))];
}

/** Page with texts of little and of enough contrast, with scrolled regions, and with controls without a keyboard. */
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
  <button id="skipped" tabindex="-1">skipped</button>
  <div inert><button id="inactive">inactive</button></div>
  <textarea id="trap" aria-label="Trap" onkeydown="event.preventDefault()"></textarea>
  <div id="focused" tabindex="0" style="height: 30px; overflow: auto"><p style="height: 200px">scrolled</p></div>
</main></body></html>`;

/** Returns the elements that are wider than the window. */
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

/**
 * Returns the visible controls that a keyboard does not reach, or does not leave by Tab. In a group of tabs or radio
 * buttons, it needs to reach only one.
 */
function notFocusable(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(async () => {
    const groupOf = (each) => each.type === "radio" ? "radio " + each.name
      : each.getAttribute("role") === "tab" ? each.closest("[role=tablist]") : each;
    const scope = document.querySelector("[role=dialog]") ?? document;
    const controls = [...scope.querySelectorAll("a[href], button, input, textarea, select, audio, video")]
      .filter((each) => !each.disabled && each.type !== "hidden")
      .filter((each) => each.checkVisibility({ visibilityProperty: true }))
      .filter((each) => each.getBoundingClientRect().width > 0 && each.closest("[aria-hidden=true]") === null);
    const reached = new Set();
    for (const each of controls) {
      each.focus();
      await undefined; // React shows what the focus changes
      if (each.tabIndex < 0 || document.activeElement !== each) continue;
      const tab = new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true });
      if (each.dispatchEvent(tab) || document.activeElement !== each) reached.add(groupOf(each));
    }
    document.activeElement.blur();
    return controls.filter((each) => !reached.has(groupOf(each))).map((each) => each.outerHTML.slice(0, 200));
  })()`);
}
