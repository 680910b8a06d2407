/** Part of a file that repeats a table in the code, and becomes wrong when the table changes. */
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

/** Finds paragraphs, lists and tables that have more than `maxExamples` of `names`. */
export function listsIn(page: string, names: readonly string[], maxExamples: number): readonly Drift[] {
  const forms = [...new Set(names)].map((name) => ({ name, form: listedForm(name) }));
  return [...prose(page).matchAll(/(?:^.*\S.*\n)+/gm)].flatMap(({ 0: block, index }) => {
    const found = forms.filter(({ form }) => form.test(block)).map(({ name }) => name);
    return found.length <= maxExamples ? [] : [{ line: lineOf(page, index), text: found.join(", ") }];
  });
}

/**
 * Returns the names in the first column of the Markdown table with a heading. A cell may have several names, separated
 * by commas.
 */
export function rowsOfTable(page: string, heading: string): readonly string[] {
  const [, rows = ""] = page.split(new RegExp(`^\\| ${heading} \\|.*\\n\\|[-|]+\\n`, "m"));
  const [table = ""] = rows.split(/^(?!\|)/m);
  return [...table.matchAll(/^\| ([^|]+?) \|/gm)].flatMap(([, cell = ""]) => cell.replaceAll("`", "").split(", "));
}

/**
 * Returns a pattern for a name as an item of a list. An ordinary word such as `text` is also found in sentences, so it
 * must begin a line, or have punctuation, "and" or "or" before or after it.
 */
function listedForm(name: string): RegExp {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (!/^[a-z]+$/.test(name)) return new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`);
  const before = `(?:^[ *-]*|[|,:([{"'\`*]|\\b(?:and|or)) ?["'\`*]*`;
  const after = `["'\`*]* ?(?:[|,:)\\]}"'\`*]|(?:and|or)\\b)`;
  return new RegExp(`${before}\\b${escaped}\\b|\\b${escaped}\\b${after}`, "m");
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
