import type { CreditEvent } from "@modelgate/contracts";
import { raiseHeads } from "./heads.ts";
import type { Books } from "./open.ts";

/** Writes changes of balances into the books, as one transaction; an operation that is there already is left as it is. */
export async function recordCredits({ db }: Books, events: readonly CreditEvent[]): Promise<void> {
  if (events.length === 0) return;
  await db.transaction().execute(async (at) => {
    await at
      .insertInto("credits")
      .values(
        events.map((event) => ({
          account: event.accountId,
          operation: event.operationId,
          at: Date.parse(event.time),
          kind: event.kind,
          nanos: event.nanos,
          event: JSON.stringify(event),
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await raiseHeads(at, events);
  });
}
