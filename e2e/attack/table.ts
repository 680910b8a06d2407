import { asTable as markdown, withText } from "../chaos/table.ts";

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

/** Writes all rows as Markdown. */
export function asTable(rows: readonly Row[]): string {
  return markdown(
    ["attack", "tried", "held", "figure", "others' calls served", "longest hold of a loop"],
    rows.map(({ name, tried, figure, others, loop, broken }) => [
      name,
      tried,
      broken.length === 0 ? "yes" : `**no**: ${broken.join("; ")}`,
      figure,
      others,
      loop,
    ]),
  );
}

/** Replaces the table of a document; the words around it stay. Throws where the document has no place for it. */
export function withTable(document: string, day: string, rows: readonly Row[]): string {
  const held = rows.filter(({ broken }) => broken.length === 0).length;
  return withText(document, `${day}: ${held} of ${rows.length} hold.\n\n${asTable(rows)}`);
}
