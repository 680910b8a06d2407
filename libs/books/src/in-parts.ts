/** Rows per statement. SQLite and PostgreSQL limit the parameters of a statement to 32,766 and 65,535. */
export const rowsAtOnce = 500;

/** Executes a statement for all rows, in batches. */
export async function inParts<Row>(
  rows: readonly Row[],
  statement: (several: readonly Row[]) => { execute(): Promise<unknown> },
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await statement(rows.slice(from, from + rowsAtOnce)).execute();
}
