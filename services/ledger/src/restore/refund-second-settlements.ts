import { makeCreditEvent } from "@modelgate/accounts";
import { bookCredit, markRefunded, readSettlementsToRefund, writeRestoration } from "@modelgate/books";
import { applyBookedCredit } from "../accounts/write-to-redis.ts";
import type { RestoreDeps } from "./restore-accounts.ts";

/** Refunds calls that were charged twice, because Redis had lost the first settlement. Each refund is made once. */
export async function refundSecondSettlements({ redis, books }: RestoreDeps, accountId: string): Promise<void> {
  for (const settlement of await readSettlementsToRefund(books, accountId)) {
    const { event, operation } = settlement;
    const { costNanos, id } = event;
    if (costNanos !== "0") {
      const reason = `call ${id} was settled twice, as Redis had lost its settlement`;
      const request = {
        accountId,
        nanos: BigInt(costNanos),
        kind: "correction",
        reason,
        operationId: operation,
      } as const;
      const reply = await applyBookedCredit(
        { redis, books },
        await bookCredit(books, makeCreditEvent(request), "ledger"),
      );
      if (reply !== "credited" && reply !== "credited-before") continue;
      const time = new Date().toISOString();
      await writeRestoration(books, { account: accountId, time, reason, calls: 1, nanos: costNanos });
    }
    await markRefunded(books, settlement);
  }
}
