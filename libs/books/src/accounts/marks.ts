import type { Books } from "../open.ts";

/** A word that the ledgers keep for each other, or undefined. */
export async function readMark({ db }: Books, name: string): Promise<string | undefined> {
  return (await db.selectFrom("marks").select("value").where("name", "=", name).executeTakeFirst())?.value;
}

/** Stores a mark unless it is already set; returns the one that is stored. */
export async function keepMark({ db }: Books, name: string, value: string): Promise<string> {
  await db
    .insertInto("marks")
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await db.selectFrom("marks").select("value").where("name", "=", name).executeTakeFirstOrThrow()).value;
}
