import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

interface AxeScope {
  /** Selector of the part of the page to check. */
  readonly part?: string | undefined;
  /** Rules to leave out. */
  readonly without?: readonly string[];
  /** Rules to check; default: all. */
  readonly only?: readonly string[];
}

/** Returns the violations that axe finds on a page, or in a part of it. */
export async function axeFaults(page: Page, { part, without = [], only }: AxeScope = {}): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  // Without the results of passed rules and without style sheets, axe is much faster. No enabled rule needs them.
  const rules = Object.fromEntries(without.map((id) => [id, { enabled: false }]));
  const options = JSON.stringify({ resultTypes: ["violations"], preload: { assets: ["media"] }, rules, runOnly: only });
  const context = part === undefined ? "document" : JSON.stringify(part);
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${context}, ${options})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html}`));
}
