/** What one attack came to, for the table. */
export interface Row {
  readonly name: string;
  readonly tried: string;
  readonly figure: string;
  /** How many of another account's calls were served meanwhile. */
  readonly others: string;
  /** The longest that a service's event loop was held, and which service's. */
  readonly loop: string;
  /** What did not hold; empty where all did. */
  readonly broken: readonly string[];
}

const head = ["attack", "tried", "held", "figure", "others' calls served", "longest hold of a loop"];

/** All rows as Markdown. */
export function asTable(rows: readonly Row[]): string {
  const lines = rows.map(({ name, tried, figure, others, loop, broken }) => [
    name,
    tried,
    broken.length === 0 ? "yes" : `**no**: ${broken.join("; ")}`,
    figure,
    others,
    loop,
  ]);
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.map(cellOf).join(" | ")} |`).join("\n");
}

/** A text that ends no cell and no row. */
function cellOf(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
}

const begin = "<!-- npm run attack writes from here -->";
const end = "<!-- to here -->";

/** A document with its table replaced; the words around it stay. Throws where the document has no place for it. */
export function withTable(document: string, day: string, rows: readonly Row[]): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error("the document has no place for the table");
  const held = rows.filter(({ broken }) => broken.length === 0).length;
  const table = `\n\n${day}: ${held} of ${rows.length} hold.\n\n${asTable(rows)}\n\n`;
  return document.slice(0, from + begin.length) + table + document.slice(to);
}
