import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { accountKeys, findAccount, listCredits } from "@modelgate/accounts";
import type { UsageEvent } from "@modelgate/contracts";
import { signOperator } from "@modelgate/contracts/operator-credential";
import type { LocalBackends, Suite } from "@modelgate/testkit";
import { storedEvents } from "../test/events.ts";
import type { CallStatistics } from "./clients.ts";

/** Result of an account after all calls have ended. */
export interface Outcome {
  /** Number of settlements without an event. */
  readonly lostEvents: number;
  /** Number of complete answers without a charge. */
  readonly unchargedAnswers: number;
  /** Number of repeated charges and repeated events. */
  readonly doubleCharges: number;
  /** `agree`, or a description of the difference. */
  readonly books: string;
  /** Time in ms until everything was settled. */
  readonly settledMs: number;
}

interface Verified {
  /** First divergence, or undefined. */
  readonly divergence: string | undefined;
  /** Number of calls that were settled twice and refunded, because Redis had lost the first settlement. */
  readonly settledTwice: number;
}

/** Maximum runs of gatectl, pause between them, maximum wait for settlements, and pause between two checks, in ms. */
const [maxTries, retryPauseMs, settleWithinMs, checkIntervalMs] = [24, 500, 60_000, 300];

/** Verifies an account with gatectl. Tries again if gatectl prints no result, because a store may be slow. */
export async function verifyWithGatectl(suite: Pick<Suite, "gatectl">, accountId: string): Promise<Verified> {
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

/** Waits for all settlements of an account, then compares the clients' results, events and books. */
export async function readOutcome(
  suite: Suite<LocalBackends>,
  redis: Redis,
  accountId: string,
  statistics: CallStatistics,
  { losesStreams = false, losesRedis = false, maxUncharged = 0 } = {},
): Promise<Outcome> {
  const begin = Date.now();
  const readEvents = (): Promise<readonly UsageEvent[]> =>
    losesStreams ? bookedEvents(suite, accountId) : publishedEvents(suite, accountId);
  let events: readonly UsageEvent[] = [];
  let twice = 0;
  for (let isSettled = false; !isSettled && Date.now() - begin < settleWithinMs;) {
    await pause(checkIntervalMs);
    if ((await findAccount(redis, accountId))?.heldNanos !== 0n) continue;
    events = await readEvents();
    // A Redis without its data shows no holds, although calls must still be charged.
    isSettled =
      countIds(events) + twice >= (await settlementsOf(redis, accountId)) &&
      compare(events, statistics).unchargedAnswers <= maxUncharged;
    if (!isSettled) twice = (await verifyWithGatectl(suite, accountId)).settledTwice;
  }
  const settledMs = Date.now() - begin;
  // The ledger restores a lost Redis for some time, and charges restored tasks when they end.
  const retryUntil = losesRedis ? begin + settleWithinMs : begin;
  for (;;) {
    const { divergence, settledTwice } = await verifyWithGatectl(suite, accountId);
    const lostEvents = Math.max(0, (await settlementsOf(redis, accountId)) - settledTwice - countIds(events));
    if ((divergence === undefined && lostEvents === 0) || Date.now() >= retryUntil) {
      const { unchargedAnswers, again } = compare(events, statistics);
      const held = (await findAccount(redis, accountId))?.heldNanos;
      return {
        lostEvents,
        unchargedAnswers,
        doubleCharges: again + events.length - countIds(events),
        books: divergence ?? (held === 0n ? "agree" : `${held} nanos are still held`),
        settledMs,
      };
    }
    await pause(retryPauseMs);
    events = await readEvents();
  }
}

/** Returns the number of different events. */
function countIds(events: readonly UsageEvent[]): number {
  return new Set(events.map(({ id }) => id)).size;
}

function compare(
  events: readonly UsageEvent[],
  { results }: CallStatistics,
): { readonly unchargedAnswers: number; readonly again: number } {
  const unique = [...new Map(events.map((event) => [event.id, event])).values()];
  const charged = Map.groupBy(
    unique.filter(({ costNanos }) => costNanos !== "0"),
    ({ requestId }) => requestId,
  );
  let [unchargedAnswers, again] = [0, 0];
  for (const [requestId, { whole, requested }] of results) {
    const charges = charged.get(requestId)?.length ?? 0;
    unchargedAnswers += Math.max(0, whole - charges);
    again += Math.max(0, charges - requested);
  }
  return { unchargedAnswers, again };
}

async function settlementsOf(redis: Redis, accountId: string): Promise<number> {
  const credits = await listCredits(redis, accountId);
  return Number((await redis.hget(accountKeys.account(accountId), "receipts")) ?? credits.length) - credits.length;
}

/** Reads an account's events from JetStream. A repeated charge after a loss of Redis is left out. */
async function publishedEvents({ backends }: Suite, accountId: string): Promise<readonly UsageEvent[]> {
  const stored = await storedEvents(backends.natsUrl);
  return stored.flatMap(({ event }) =>
    event.accountId === accountId && event.receipt?.replaces === undefined ? [event] : [],
  );
}

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
