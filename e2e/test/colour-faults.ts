import type { Page } from "playwright-core";

/**
 * Returns texts with too little contrast (WCAG AA), and scrolled regions that a keyboard cannot scroll. axe finds the
 * same faults, but takes 20 times as long.
 */
export function faultsOfTheme(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    ${inPage}
    return [...faintTexts(), ...stuckRegions()];
  })()`);
}

const inPage = `
  const shown = (each) => each.getBoundingClientRect().width > 1
    && each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const short = (each) => each.outerHTML.slice(0, 200);

  function channelsOf(css) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (css.match(/[\\d.]+(e-\\d+)?/g) ?? []).map(Number);
    if (css.startsWith("rgb")) return [red, green, blue, alpha];
    if (css.startsWith("color(srgb ")) return [red * 255, green * 255, blue * 255, alpha];
    throw new Error("a colour of an unknown form: " + css);
  }
  const over = (above, below, alpha = above[3]) => below.map((each, at) => above[at] * alpha + each * (1 - alpha));
  function luminance(colour) {
    const [red, green, blue] = colour.map((each) => each / 255)
      .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  const ancestors = (each) => each === null ? [] : [...ancestors(each.parentElement), each];

  /** Returns the colours of text and background, or undefined if the background is a picture. */
  function coloursOf(element) {
    let below = [255, 255, 255];
    let opacity = 1;
    for (const each of ancestors(element)) {
      const style = getComputedStyle(each);
      if (style.backgroundImage !== "none") return undefined;
      opacity *= Number(style.opacity);
      const colour = channelsOf(style.backgroundColor);
      below = over(colour, below, colour[3] * opacity);
    }
    const text = channelsOf(getComputedStyle(element).color);
    return [over(text, below, text[3] * opacity), below];
  }

  function isFaint(element) {
    const colours = coloursOf(element);
    if (colours === undefined) return false;
    const [darker, lighter] = colours.map(luminance).sort((one, other) => one - other);
    const { fontSize, fontWeight } = getComputedStyle(element);
    const isLarge = parseFloat(fontSize) >= (Number(fontWeight) >= 700 ? 18.66 : 24);
    return (lighter + 0.05) / (darker + 0.05) < (isLarge ? 3 : 4.5);
  }

  function faintTexts() {
    const scope = document.querySelector("[role=dialog]") ?? document.body;
    const found = new Set([...scope.querySelectorAll("input:not([type=checkbox], [type=radio], [type=file]), textarea, select")]
      .filter((each) => each.value !== ""));
    const texts = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
      // As in axe, a single character (the asterisk of a required field) is not checked.
      if (texts.currentNode.data.trim().length > 1 && !(texts.currentNode.parentElement instanceof SVGElement))
        found.add(texts.currentNode.parentElement);
    return [...found]
      .filter((each) => !each.matches(":disabled, [aria-disabled=true], :disabled *, [aria-disabled=true] *, option"))
      .filter((each) => shown(each) && isFaint(each))
      .map((each) => "faint " + short(each));
  }

  function stuckRegions() {
    const reached = "a[href], button, input, textarea, select, audio[controls], video[controls], [tabindex='0']";
    return [...document.querySelectorAll("body *")]
      .filter((each) => each.scrollHeight > each.clientHeight + 13 || each.scrollWidth > each.clientWidth + 13)
      .filter((each) => /auto|scroll/.test(getComputedStyle(each).overflow) && shown(each))
      .filter((each) => !each.matches(reached) && each.querySelector(reached) === null)
      .map((each) => "stuck " + short(each));
  }`;
