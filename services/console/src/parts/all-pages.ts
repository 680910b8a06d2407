interface Row {
  readonly id: string;
}

/** Returns the rows of all pages of a list. Each page begins after an id; the last one is empty. */
export async function allPages<Listed extends Row>(
  readPage: (after: string) => Promise<readonly Listed[]>,
): Promise<readonly Listed[]> {
  const rows: Listed[] = [];
  for (;;) {
    const page = await readPage(rows.at(-1)?.id ?? "");
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}
