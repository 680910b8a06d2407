import type { UsageDraft } from "@modelgate/contracts";
import type { Books } from "./open.ts";

/** Returns true if the books have a call, with any outcome. */
export async function hasCall({ db }: Books, { accountId, id }: UsageDraft): Promise<boolean> {
  const found = await db
    .selectFrom("call_ids")
    .select("id")
    .where("account", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
  return found !== undefined;
}
