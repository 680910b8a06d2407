import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** Returns the faults that axe's rules find on a page, or in a part of it: rule and element. */
export async function axeFaults(page: Page, part?: string): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  // Only violations are reported, because a report of passed rules takes most of the time. No enabled rule needs the style sheets.
  const options = JSON.stringify({ resultTypes: ["violations"], preload: { assets: ["media"] } });
  const context = part === undefined ? "document" : JSON.stringify(part);
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${context}, ${options})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html}`));
}
