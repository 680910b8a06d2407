/** Number of rows per statement. SQLite allows 32,766 parameters per statement, PostgreSQL 65,535. */
export const rowsPerStatement = 500;

/** Executes a statement for all rows in batches. */
export async function executeInBatches<Row>(
  rows: readonly Row[],
  statement: (batch: readonly Row[]) => { execute(): Promise<unknown> },
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    await statement(rows.slice(from, from + rowsPerStatement)).execute();
}
