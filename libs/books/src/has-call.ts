import type { UsageDraft } from "@modelgate/contracts";
import type { Books } from "./open.ts";

/** How far apart the times of two events of the same call may be. */
const aroundMs = 2 * 86_400_000;

/** Whether a call is in the books, whatever they say of its end. */
export async function hasCall({ db }: Books, { accountId, id, requestId, time }: UsageDraft): Promise<boolean> {
  const at = Date.parse(time);
  const found = await db
    .selectFrom("calls")
    .select("id")
    .where("request", "=", requestId)
    .where("at", ">=", at - aroundMs)
    .where("at", "<", at + aroundMs)
    .where("account", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
  return found !== undefined;
}
