import type { Browser, Page } from "playwright-core";
import { until, type Suite } from "@modelgate/testkit";
import { visitSignedIn } from "../../test/console-browser.ts";
import { report } from "../options.ts";
import { formatMs, formatDurations, measureTime } from "../timed.ts";

const pagesScrolled = 20;
/** Script that measures the longest time between two frames. */
const watchFrames = `
  globalThis.frames = { longest: 0, late: 0, all: 0 };
  let before = performance.now();
  const look = (now) => {
    const gap = now - before;
    before = now;
    frames.all += 1;
    if (gap > 50) frames.late += 1;
    frames.longest = Math.max(frames.longest, gap);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

/** Measures the time until the console's pages show their content, and the delays while scrolling. */
export async function measurePages(browser: Browser, suite: Suite): Promise<void> {
  await using session = await visitSignedIn(browser, suite);
  const { page } = session;
  const open = async (path: string, shown: (page: Page) => Promise<unknown>): Promise<number> => {
    const startedAt = performance.now();
    await page.goto(`${suite.controlUrl}/console/${path}`);
    await shown(page);
    return performance.now() - startedAt;
  };
  const rows = (): Promise<unknown> => page.getByRole("table", { name: "Calls" }).getByRole("link").first().waitFor();
  const figures = (): Promise<unknown> => page.locator('[data-figure="Spend"]').waitFor();
  await measureTime("the sign-in page until it can be used", () =>
    open("sign-in", () =>
      page
        .getByRole("button", { name: /sign in/i })
        .or(page.getByText("Open the sign-in link"))
        .first()
        .waitFor(),
    ),
  );
  await measureTime("overview of 30 days until its figures", () => open("overview?span=30d", figures));
  await measureTime("overview of today until its figures", () => open("overview?span=1d", figures));
  await measureTime("calls of 30 days until the first rows", () => open("calls?span=30d", rows));
  await measureTime("channels until their courses are drawn", () =>
    open("channels", () =>
      page
        .getByRole("img", { name: /^First byte/ })
        .first()
        .waitFor(),
    ),
  );
  await scroll(page);
  await measureTime("calls: a filter by model until its rows", async () => {
    await open("calls?span=30d", rows);
    const startedAt = performance.now();
    const answered = page.waitForResponse((answer) => answer.url().includes("model=model-3"));
    await page.getByLabel("model", { exact: true }).fill("model-3");
    await page.keyboard.press("Enter");
    await answered;
    await page.getByRole("cell", { name: "model-3" }).first().waitFor();
    return performance.now() - startedAt;
  });
}

async function scroll(page: Page): Promise<void> {
  await page.goto(page.url().replace(/console\/.*/, "console/calls?span=30d"));
  await page.getByRole("table", { name: "Calls" }).getByRole("link").first().waitFor();
  await page.evaluate(watchFrames);
  const waits: number[] = [];
  const height = (): Promise<number> => page.evaluate<number>("document.documentElement.scrollHeight");
  for (let at = 0; at < pagesScrolled; at++) {
    const [startedAt, before] = [performance.now(), await height()];
    await page.mouse.wheel(0, before);
    await until("older calls", async () => (await height()) > before);
    waits.push(performance.now() - startedAt);
  }
  report(`  calls: the next 100 while scrolling, ${pagesScrolled} times`, formatDurations(waits));
  const { longest, late, all } = await page.evaluate<{ longest: number; late: number; all: number }>("frames");
  report(
    "  calls: longest time without a frame while scrolling",
    `${formatMs(longest)}; ${late} of ${all} frames over 50 ms`,
  );
  const drawn = await page.locator("tbody tr").count();
  report(`  calls: rows in the page after ${(pagesScrolled + 1) * 100} are loaded`, String(drawn));
}
