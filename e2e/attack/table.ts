import { asTable as markdown, replaceGeneratedPart } from "../chaos/table.ts";

/** Result of an attack, as a table row. */
export interface Row {
  readonly name: string;
  readonly tried: string;
  readonly figure: string;
  /** Number of another account's calls that were answered. */
  readonly others: string;
  /** Longest blocking time of an event loop, and the service. */
  readonly loop: string;
  readonly failedChecks: readonly string[];
}

/** Renders rows as a Markdown table. */
export function asTable(rows: readonly Row[]): string {
  return markdown(
    ["attack", "tried", "held", "figure", "others' calls served", "longest event loop delay"],
    rows.map(({ name, tried, figure, others, loop, failedChecks }) => [
      name,
      tried,
      failedChecks.length === 0 ? "yes" : `**no**: ${failedChecks.join("; ")}`,
      figure,
      others,
      loop,
    ]),
  );
}

/** Replaces the table of a document. Throws if it is missing. */
export function withTable(document: string, day: string, rows: readonly Row[]): string {
  const held = rows.filter(({ failedChecks }) => failedChecks.length === 0).length;
  return replaceGeneratedPart(document, `${day}: ${held} of ${rows.length} attacks withstood.\n\n${asTable(rows)}`);
}
