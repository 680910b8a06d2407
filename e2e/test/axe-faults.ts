import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** What axe's rules, or these of them, find fault with on a page: the rule and the element. */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  // Only faults are described: describing what is well takes most of the time. No rule that is on needs the style sheets.
  const options = {
    resultTypes: ["violations"],
    preload: { assets: ["media"] },
    ...(rules === undefined ? {} : { runOnly: rules }),
  };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html}`));
}

/** The rules that see colours: the others find the same in light and in dark. */
export const rulesOfColour = ["color-contrast"];
