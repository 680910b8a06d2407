/** Rows of one statement: SQLite and PostgreSQL bound the parameters of one at 32,766 and 65,535. */
export const rowsAtOnce = 500;

/** Executes a statement for some rows, and again for those that follow, until all are written. */
export async function inParts<Row>(
  rows: readonly Row[],
  statement: (several: readonly Row[]) => { execute(): Promise<unknown> },
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await statement(rows.slice(from, from + rowsAtOnce)).execute();
}
