import type { Books } from "../open.ts";

/** Reads a mark, which is a value that all ledgers share; undefined if it is not set. */
export async function readMark({ db }: Books, name: string): Promise<string | undefined> {
  return (await db.selectFrom("marks").select("value").where("name", "=", name).executeTakeFirst())?.value;
}

/** Stores a mark unless it is already set. Returns the stored value. */
export async function setMarkOnce({ db }: Books, name: string, value: string): Promise<string> {
  await db
    .insertInto("marks")
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await db.selectFrom("marks").select("value").where("name", "=", name).executeTakeFirstOrThrow()).value;
}
