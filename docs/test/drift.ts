/** Part of a page that repeats a table in the code, and becomes wrong when the table changes. */
export interface Drift {
  readonly line: number;
  readonly text: string;
}

const numbers =
  "\\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|sixteen|seventeen|twenty|thirty|forty|fifty";
const counted =
  "clients|vendors|providers|endpoints|wires|formats|metrics|variables|error codes|kinds|alerts|runbooks|dashboards|packages|services";
const count = new RegExp(
  `\\b(?:all (?:the )?)?(?:${numbers}) (?:(?:text|video|error|supported|official|known) )?(?:${counted})\\b`,
  "gi",
);

/** Finds numbers of rows of tables in the code, such as "seventeen clients". */
export function countsIn(page: string): readonly Drift[] {
  return [...prose(page).matchAll(count)].map((found) => ({ line: lineOf(page, found.index), text: found[0] }));
}

/** Finds paragraphs, lists and tables that name more than `maxExamples` of `names`. */
export function listsIn(page: string, names: readonly string[], maxExamples: number): readonly Drift[] {
  const forms = names.map(
    (name) => new RegExp(`(?<![\\w-])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`),
  );
  return [...prose(page).matchAll(/(?:^.*\S.*\n)+/gm)].flatMap(({ 0: block, index }) => {
    const found = names.filter((_, at) => forms[at]?.test(block));
    return found.length <= maxExamples ? [] : [{ line: lineOf(page, index), text: found.join(", ") }];
  });
}

/** Replaces code blocks and comments by spaces, without changing line numbers. */
function prose(page: string): string {
  return page
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, (block) => block.replaceAll(/[^\n]/g, " "))
    .replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, " "));
}

function lineOf(page: string, index: number): number {
  return page.slice(0, index).split("\n").length;
}
