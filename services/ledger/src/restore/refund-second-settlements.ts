import { makeCreditEvent } from "@modelgate/accounts";
import { bookCredit, markRefunded, readSettlementsToRefund, writeRestoration } from "@modelgate/books";
import { applyBookedCredit } from "../accounts/write-to-redis.ts";
import type { RestoreDeps } from "./restore-accounts.ts";

/** Refunds calls that were charged twice, because Redis had lost the first settlement. Each refund is made once. */
export async function refundSecondSettlements({ redis, books }: RestoreDeps, accountId: string): Promise<void> {
  for (const settlement of await readSettlementsToRefund(books, accountId)) {
    const { costNanos: nanos, id } = settlement.event;
    const reason = `call ${id} was settled twice, as Redis had lost its settlement`;
    if (nanos !== "0") {
      const request = { accountId, nanos: BigInt(nanos), kind: "correction", reason } as const;
      const event = makeCreditEvent({ ...request, operationId: settlement.operation });
      const reply = await applyBookedCredit({ redis, books }, await bookCredit(books, event, "ledger"));
      if (reply !== "credited" && reply !== "credited-before") continue;
    }
    const isFirst = await markRefunded(books, settlement);
    const time = new Date().toISOString();
    if (isFirst && nanos !== "0") await writeRestoration(books, { account: accountId, time, reason, calls: 1, nanos });
  }
}
