import type { Locator, Page } from "playwright-core";

const maxPresses = 150;

async function tabTo(page: Page, target: Locator): Promise<void> {
  // A handle, because a search of the page after each press would take most of the time.
  const element = await target.elementHandle();
  for (let presses = 0; presses < maxPresses; presses++) {
    if ((await element?.evaluate((each) => each.matches(":focus"))) === true) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`not reached by Tab: ${String(target)}`);
}

/** Presses Enter, or another key, on an element. */
export async function press(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** Replaces the text of a field. */
export async function type(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

/** Moves down a list until Enter would select the option, and selects it. */
export async function choose(page: Page, list: Locator, option: string): Promise<void> {
  await tabTo(page, list);
  const selected = page.locator("[data-combobox-selected]", { hasText: option });
  for (let presses = 0; presses < maxPresses && (await selected.count()) === 0; presses++)
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  if ((await list.inputValue()) !== option) throw new Error(`not in the list: ${option}`);
}
