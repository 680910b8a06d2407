import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** Returns the faults that axe's rules, or some of them, find on a page: rule and element. */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  // Only violations are reported, because a report of passed rules takes most of the time. No enabled rule needs the style sheets.
  const options = {
    resultTypes: ["violations"],
    preload: { assets: ["media"] },
    ...(rules === undefined ? {} : { runOnly: rules }),
  };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html}`));
}

/** Rules about colours. All other rules have the same result in light and dark mode. */
export const rulesOfColour = ["color-contrast"];

/**
 * Rules about elements that do not fit into the window. All other rules have the same result at a desk and on a phone
 * that shows the same elements.
 */
export const rulesOfSize = ["scrollable-region-focusable"];
