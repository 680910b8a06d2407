import type { Books } from "../open.ts";

/** Reads a mark: a named value that all ledgers share. */
export async function readMark({ db }: Books, name: string): Promise<string | undefined> {
  return (await db.selectFrom("marks").select("value").where("name", "=", name).executeTakeFirst())?.value;
}

/** Stores a mark unless it is already set. Returns the stored value. */
export async function setMarkOnce(books: Books, name: string, value: string): Promise<string> {
  const stored = await readMark(books, name);
  if (stored !== undefined) return stored;
  await books.db
    .insertInto("marks")
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await readMark(books, name)) ?? value;
}
