import { connect, DeliverPolicy } from "nats";
import type { Redis } from "ioredis";
import { accountKeys, findAccount, listCredits } from "@modelgate/accounts";
import type { UsageEvent } from "@modelgate/contracts";
import { signOperator } from "@modelgate/contracts/operator-credential";
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
  /** `gatectl ledger verify` of an account. */
  readonly verify: (accountId: string) => Promise<Verified>;
}

/** What the books say of an account. */
export interface Verified {
  /** The first divergence, where they do not hold. */
  readonly divergence?: string | undefined;
  /** Calls that a Redis settled a second time, as it had lost that it did: given back, each another receipt. */
  readonly settledTwice: number;
}

/** Asks gatectl, which asks the ledger, which reads the books. */
export function verifierOf(suite: Pick<Suite, "gatectl">): Books["verify"] {
  return async (accountId) => {
    const { stdout, stderr } = await answered(() => suite.gatectl("ledger", "verify", accountId, "--json"));
    if (stdout === "") return { divergence: stderr.trim(), settledTwice: 0 };
    interface Found {
      readonly ok: boolean;
      readonly divergence?: { readonly message: string };
      readonly settledTwice: number;
    }
    const { accounts }: { readonly accounts: readonly Found[] } = JSON.parse(stdout);
    return {
      divergence: accounts.find(({ ok }) => !ok)?.divergence?.message,
      settledTwice: accounts.reduce((sum, { settledTwice }) => sum + settledTwice, 0),
    };
  };
}

/** Asks again, a few times, where no document was printed: a store that is slow for a moment says nothing of the books. */
async function answered<Said extends { readonly stdout: string }>(ask: () => Promise<Said>): Promise<Said> {
  for (let tries = 1; ; tries++) {
    const said = await ask();
    if (said.stdout !== "" || tries === maxTries) return said;
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

/** Times that gatectl is asked, and the pause between them. */
const [maxTries, againMs] = [6, 2_000];
/** Longest wait until all has come to rest. */
const restWithinMs = 30_000;
const lookMs = 100;

/** Waits until nothing of an account is under way, then compares what clients, account, JetStream and log say. */
export async function readOutcome({ redis, eventsOf, verify }: Books, accountId: string, seen: Seen): Promise<Outcome> {
  const begin = Date.now();
  let events: readonly UsageEvent[] = [];
  let twice = 0;
  for (let rested = false; !rested && Date.now() - begin < restWithinMs;) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    const account = await findAccount(redis, accountId);
    if (account?.heldNanos !== 0n) continue;
    events = await eventsOf(accountId);
    const settled = new Set(events.map(({ id }) => id)).size;
    rested = settled + twice >= (await settlementsOf(redis, accountId));
    if (!rested) twice = (await verify(accountId)).settledTwice;
  }
  const restMs = Date.now() - begin;
  const ids = new Set(events.map(({ id }) => id));
  const { silent, again } = compare(events, seen);
  const held = (await findAccount(redis, accountId))?.heldNanos;
  const { divergence, settledTwice } = await verify(accountId);
  return {
    lost: Math.max(0, (await settlementsOf(redis, accountId)) - settledTwice - ids.size) + silent,
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

/** How many receipts an account has that are of settlements. */
async function settlementsOf(redis: Redis, accountId: string): Promise<number> {
  const credits = await listCredits(redis, accountId);
  return Number((await redis.hget(accountKeys.account(accountId), "receipts")) ?? credits.length) - credits.length;
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
