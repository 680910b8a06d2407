import type { Suite } from "@modelgate/testkit";
import { until } from "@modelgate/testkit";
import { verifierOf } from "../chaos/books.ts";
import type { Seen } from "../chaos/clients.ts";

/** What the books say of an area's requests. */
export interface Outcome {
  /** Answers that came whole, and what they may have been charged for at most. */
  readonly whole: number;
  readonly asked: number;
  /** Calls in the books that cost something. */
  readonly charged: number;
  /** Whether balance, receipts and log agree; else what does not. */
  readonly books: string;
}

/** Longest wait until nothing is held and the books have all that was settled. */
const restWithinMs = 60_000;

/** Compares what clients saw with what the books charged, when nothing of the account is under way any more. */
export async function readOutcome(suite: Suite, accountId: string, { outcomes }: Seen): Promise<Outcome> {
  await until(
    `nothing to be held of ${accountId}`,
    async () => (await suite.ask<{ heldNanos: string }>("account", "show", accountId)).heldNanos === "0",
    restWithinMs,
  );
  // Waits for events on their way to the books itself.
  const { divergence } = await verifierOf(suite)(accountId);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const totals = ["usage", "--by", "account", "--account", accountId, "--from", yesterday];
  const data = await suite.ask<readonly UsageRow[]>(...totals);
  const sum = (of: "whole" | "asked"): number => [...outcomes.values()].reduce((all, each) => all + each[of], 0);
  return {
    whole: sum("whole"),
    asked: sum("asked"),
    charged: Number(data[0]?.sums["calls"] ?? 0),
    books: divergence ?? "agree",
  };
}

interface UsageRow {
  readonly sums: Readonly<Record<string, string>>;
}

/** Whether no whole answer is missing from the books, and nothing was charged that was not asked for. */
export function isSound({ whole, asked, charged, books }: Outcome): boolean {
  return whole <= charged && charged <= asked && books === "agree";
}
