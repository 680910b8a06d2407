import type { Redis } from "ioredis";
import { accountKeys, findAccount, listCredits } from "@modelgate/accounts";
import type { UsageEvent } from "@modelgate/contracts";
import { signOperator } from "@modelgate/contracts/operator-credential";
import type { LocalBackends, Suite } from "@modelgate/testkit";
import { storedEvents } from "../test/events.ts";
import type { Seen } from "./clients.ts";

/**
 * Result of an account after all calls have ended: lost events, missing and double charges, and the state of the books.
 */
export interface Outcome {
  /** Number of settlements without a stored event. */
  readonly lost: number;
  /** Number of complete answers without a charge. */
  readonly uncharged: number;
  /** Number of answers that were charged more than once, and of events that are stored more than once. */
  readonly double: number;
  /** `agree`, or the difference between balance, receipts and log. */
  readonly books: string;
  /** Time in ms until no money was reserved and all events were stored. */
  readonly restMs: number;
}

/** Result of `gatectl ledger verify` for an account. */
interface Verified {
  /** First divergence; undefined if the books are valid. */
  readonly divergence: string | undefined;
  /**
   * Number of calls that were settled twice because Redis had lost the first settlement. They were refunded, each with
   * another receipt.
   */
  readonly settledTwice: number;
}

/**
 * Maximum runs of gatectl and the pause between them, maximum wait until nothing is open, and interval of the checks,
 * in ms.
 */
const [maxTries, retryPauseMs, restWithinMs, checkIntervalMs] = [6, 2_000, 60_000, 100];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Verifies an account with gatectl. Repeats this if no result is printed, because a store may be slow for a moment. */
export async function verify(suite: Pick<Suite, "gatectl">, accountId: string): Promise<Verified> {
  for (let tries = 1; ; tries++) {
    const { stdout, stderr } = await suite.gatectl("ledger", "verify", accountId, "--json");
    if (stdout === "" && tries < maxTries) await pause(retryPauseMs);
    else if (stdout === "") return { divergence: stderr.trim(), settledTwice: 0 };
    else {
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
    }
  }
}

/**
 * Waits until no call of an account is open, then compares the clients' results, the account, the stored events and the
 * books.
 */
export async function readOutcome(
  suite: Suite<LocalBackends>,
  redis: Redis,
  accountId: string,
  seen: Seen,
  { losesStreams = false, losesRedis = false } = {},
): Promise<Outcome> {
  const begin = Date.now();
  const readEvents = (): Promise<readonly UsageEvent[]> =>
    losesStreams ? bookedEvents(suite, accountId) : publishedEvents(suite, accountId);
  let events: readonly UsageEvent[] = [];
  let twice = 0;
  for (let isAtRest = false; !isAtRest && Date.now() - begin < restWithinMs;) {
    await pause(checkIntervalMs);
    if ((await findAccount(redis, accountId))?.heldNanos !== 0n) continue;
    events = await readEvents();
    // A Redis that lost its reservations shows none, although calls must still be charged.
    isAtRest =
      countIds(events) + twice >= (await settlementsOf(redis, accountId)) && compare(events, seen).uncharged === 0;
    if (!isAtRest) twice = (await verify(suite, accountId)).settledTwice;
  }
  const restMs = Date.now() - begin;
  // After a loss, the ledger restores accounts and tasks for some time. A restored task is charged when it ends.
  const retryUntil = losesRedis ? begin + restWithinMs : begin;
  for (;;) {
    const { divergence, settledTwice } = await verify(suite, accountId);
    const lost = Math.max(0, (await settlementsOf(redis, accountId)) - settledTwice - countIds(events));
    if ((divergence === undefined && lost === 0) || Date.now() >= retryUntil) {
      const { uncharged, again } = compare(events, seen);
      const held = (await findAccount(redis, accountId))?.heldNanos;
      return {
        lost,
        uncharged,
        double: again + events.length - countIds(events),
        books: divergence ?? (held === 0n ? "agree" : `${held} nanos are still held`),
        restMs,
      };
    }
    await pause(retryPauseMs);
    events = await readEvents();
  }
}

/** Returns the number of different events. An event that was published twice counts once. */
function countIds(events: readonly UsageEvent[]): number {
  return new Set(events.map(({ id }) => id)).size;
}

/** Counts complete answers that were not charged, and charges beyond the requested answers. */
function compare(
  events: readonly UsageEvent[],
  { results }: Seen,
): { readonly uncharged: number; readonly again: number } {
  const unique = [...new Map(events.map((event) => [event.id, event])).values()];
  const charged = Map.groupBy(
    unique.filter(({ costNanos }) => costNanos !== "0"),
    ({ requestId }) => requestId,
  );
  let [uncharged, again] = [0, 0];
  for (const [requestId, { whole, requested }] of results) {
    const charges = charged.get(requestId)?.length ?? 0;
    uncharged += Math.max(0, whole - charges);
    again += Math.max(0, charges - requested);
  }
  return { uncharged, again };
}

/** Returns the number of an account's receipts that are settlements. */
async function settlementsOf(redis: Redis, accountId: string): Promise<number> {
  const credits = await listCredits(redis, accountId);
  return Number((await redis.hget(accountKeys.account(accountId), "receipts")) ?? credits.length) - credits.length;
}

/**
 * Reads the account's events from JetStream. If a call was charged again because Redis had lost its settlement, only
 * the event of the first charge is returned.
 */
async function publishedEvents({ backends }: Suite, accountId: string): Promise<readonly UsageEvent[]> {
  const stored = await storedEvents(backends.natsUrl);
  return stored.flatMap(({ event }) =>
    event.accountId === accountId && event.receipt?.replaces === undefined ? [event] : [],
  );
}

/** Reads an account's events from the books. */
export async function bookedEvents({ controlUrl, secret }: Suite, accountId: string): Promise<readonly UsageEvent[]> {
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
