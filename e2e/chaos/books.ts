import { connect, DeliverPolicy } from "nats";
import type { Redis } from "ioredis";
import { accountKeys, findAccount } from "@modelgate/accounts";
import type { UsageEvent } from "@modelgate/contracts";
import { signOperator } from "@modelgate/platform";
import type { Suite } from "@modelgate/testkit";
import type { Seen } from "./clients.ts";

/** What is left of a fault once all has come to rest. */
export interface Outcome {
  /** Settlements of which JetStream has no event, and whole answers that no event charges. */
  readonly lost: number;
  /** Answers that were charged more than once, and events that are stored more than once. */
  readonly double: number;
  /** Whether balance, receipts and log agree; else what does not. */
  readonly books: string;
  /** How long it took until nothing was held and all was stored, in ms. */
  readonly restMs: number;
}

/** Where the books are. */
export interface Books {
  readonly redis: Redis;
  /** The account's events, as often as they are stored. */
  readonly eventsOf: (accountId: string) => Promise<readonly UsageEvent[]>;
  /** `gatectl ledger verify` of an account: the first divergence, where its books do not hold. */
  readonly divergenceOf: (accountId: string) => Promise<string | undefined>;
}

/** Asks gatectl, which asks the ledger, which reads the books. */
export function verifierOf(suite: Pick<Suite, "gatectl">): Books["divergenceOf"] {
  return async (accountId) => {
    const { stdout, stderr } = await suite.gatectl("ledger", "verify", accountId, "--json");
    if (stdout === "") return stderr.trim();
    const { accounts }: { accounts: readonly { ok: boolean; divergence?: { say: string } }[] } = JSON.parse(stdout);
    return accounts.find(({ ok }) => !ok)?.divergence?.say;
  };
}

/** Longest wait until all has come to rest. */
const restWithinMs = 30_000;
const lookMs = 100;

/** Waits until nothing of an account is under way, then compares what clients, account, JetStream and log say. */
export async function readOutcome(
  { redis, eventsOf, divergenceOf }: Books,
  accountId: string,
  seen: Seen,
): Promise<Outcome> {
  const begin = Date.now();
  let events: readonly UsageEvent[] = [];
  for (let rested = false; !rested && Date.now() - begin < restWithinMs;) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    const account = await findAccount(redis, accountId);
    if (account?.heldNanos !== 0n) continue;
    events = await eventsOf(accountId);
    rested = new Set(events.map(({ id }) => id)).size >= (await settlementsOf(redis, accountId));
  }
  const restMs = Date.now() - begin;
  const ids = new Set(events.map(({ id }) => id));
  const { silent, again } = compare(events, seen);
  const held = (await findAccount(redis, accountId))?.heldNanos;
  const divergence = await divergenceOf(accountId);
  return {
    lost: Math.max(0, (await settlementsOf(redis, accountId)) - ids.size) + silent,
    double: again + events.length - ids.size,
    books: divergence ?? (held === 0n ? "agree" : `${held} nanos are still held`),
    restMs,
  };
}

/** Whole answers that were not charged, and charges beyond what was asked for. */
function compare(
  events: readonly UsageEvent[],
  { outcomes }: Seen,
): { readonly silent: number; readonly again: number } {
  const unique = [...new Map(events.map((event) => [event.id, event])).values()];
  const charged = Map.groupBy(
    unique.filter(({ costNanos }) => costNanos !== "0"),
    ({ requestId }) => requestId,
  );
  let [silent, again] = [0, 0];
  for (const [requestId, { whole, asked }] of outcomes) {
    const charges = charged.get(requestId)?.length ?? 0;
    silent += Math.max(0, whole - charges);
    again += Math.max(0, charges - asked);
  }
  return { silent, again };
}

/** How many receipts an account has, without the one of its opening balance. */
async function settlementsOf(redis: Redis, accountId: string): Promise<number> {
  return Number((await redis.hget(accountKeys.account(accountId), "receipts")) ?? 1) - 1;
}

/** The account's events in the books: where JetStream has lost what it held. */
export async function bookedEvents(
  { controlUrl, secret }: Pick<Suite, "controlUrl" | "secret">,
  accountId: string,
): Promise<readonly UsageEvent[]> {
  const credential = signOperator(secret, Math.floor(Date.now() / 1_000) + 60);
  const answer = await fetch(`${controlUrl}/usage/export?account=${accountId}&format=ndjson`, {
    headers: { authorization: `Bearer ${credential}` },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the books were not read: ${text}`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): UsageEvent => JSON.parse(line));
}

/**
 * The account's events in JetStream, as often as they are stored. What was charged again, as a Redis had lost it, is published
 * once more and is no other charge.
 */
export async function storedEvents(natsUrl: string, accountId: string): Promise<readonly UsageEvent[]> {
  const connection = await connect({ servers: natsUrl });
  try {
    const { state } = await (await connection.jetstreamManager()).streams.info("USAGE");
    if (state.messages === 0) return [];
    const reader = await connection
      .jetstream()
      .consumers.get("USAGE", { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: state.first_seq });
    const found: UsageEvent[] = [];
    for await (const message of await reader.consume()) {
      const event: UsageEvent = message.json();
      if (event.accountId === accountId && event.receipt?.replaces === undefined) found.push(event);
      if (message.seq >= state.last_seq) break;
    }
    return found;
  } finally {
    await connection.close();
  }
}
