import { type CreditEvent, type Nanos, type UsageEvent, withoutUndefined } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { shardOf, accountKeys } from "../keys.ts";
import { readUnpublished } from "../outbox/publish.ts";
import { findAccount, type Account } from "./account.ts";
import { ReceiptChainCheck, creditEntry, settlementEntry, type ChainEntry, type Divergence } from "./chain.ts";
import { listCredits } from "./credit.ts";
import { readSnapshot, type Snapshot } from "./snapshot.ts";

export interface VerifyOptions {
  /**
   * Reads the account's entries in the books since a Unix time in ms, in pages: credits before calls, the oldest first.
   */
  readonly readEntries: (from: number) => AsyncIterable<readonly (CreditEvent | UsageEvent)[]>;
  /** Creation time of the account (RFC 3339); "" if the books contain only its calls. */
  readonly createdAt: string;
  /** Anchors of the account, from earlier verifications. */
  readonly anchors: readonly AccountAnchor[];
  /** Returns true if an entry had a receipt with this hash before Redis was restored. */
  readonly wasReplaced: (hash: string) => Promise<boolean>;
  /** Unix time in ms from which on the books contain all calls. */
  readonly storedFrom: number;
  /** Maximum ms to wait for a receipt whose event is not in the books yet. */
  readonly waitMs: number;
}

/** Anchor of an account: its newest receipt at the time of an earlier verification. */
export interface AccountAnchor {
  readonly number: number;
  readonly head: string;
  /** Balance after this receipt, in nano-dollars as decimal text. */
  readonly balanceNanos: string;
  readonly createdAt: string;
  readonly time: string;
}

export interface Verification {
  readonly account: string;
  readonly ok: boolean;
  /** Numbers of the first and the last receipt that were found correct. */
  readonly from: number;
  readonly to: number;
  readonly balanceNanos: Nanos;
  readonly head: string;
  readonly divergence?: Divergence;
}

const retryMs = 250;
const maxWaiting = 100_000;
const dayMs = 86_400_000;

/**
 * Recomputes an account's balance from its receipts, and compares it with the account in Redis. Returns undefined if
 * the account does not exist. Calls may continue meanwhile.
 */
export async function verifyAccount(
  redis: Redis,
  accountId: string,
  options: VerifyOptions,
): Promise<Verification | undefined> {
  const [account, snapshot] = [await findAccount(redis, accountId), await readSnapshot(redis, accountId)];
  if (account === undefined || snapshot === undefined) return undefined;
  const end = Date.now() + options.waitMs;
  for (;;) {
    const { from, check } = await checkChain(redis, account, snapshot.receipts, options);
    const missing = check.divergence === undefined && check.next <= snapshot.receipts;
    if (missing && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      continue;
    }
    const divergence = missing
      ? { receipt: check.next, message: "is not in the books: its event was lost" }
      : (check.divergence ??
        (await compareAmounts(redis, account, snapshot, check, from)) ??
        (await compareAnchors(options, snapshot, check, from)));
    return withoutUndefined({
      account: accountId,
      ok: divergence === undefined,
      from,
      to: check.next - 1,
      balanceNanos: snapshot.availableNanos + snapshot.heldNanos,
      head: snapshot.head,
      divergence,
    });
  }
}

/** Checks all receipts up to `lastNumber`. */
async function checkChain(redis: Redis, account: Account, lastNumber: number, options: VerifyOptions) {
  const { readEntries, storedFrom, anchors } = options;
  // Around midnight, calls may be settled in another order than that of their times. A receipt of this day may belong
  // to a call of the day before.
  const oldest = storedFrom + dayMs;
  const isComplete = Date.parse(creationTime(account, options)) >= oldest;
  const credits = (await listCredits(redis, account.id)).flatMap((credit) => creditEntry(credit) ?? []);
  // The outbox is read before the books, so that no event is missed that leaves the outbox meanwhile.
  const waiting = (await readUnpublished(redis, shardOf(account.id), 0, maxWaiting)).flatMap(({ event }) =>
    "costNanos" in event && event.accountId === account.id ? (settlementEntry(event) ?? []) : [],
  );
  const from = isComplete
    ? 1
    : await oldestReceipt(readEntries(oldest), [...waiting.map(receiptNumber), lastNumber + 1]);
  const entriesInBooks = readEntries(isComplete ? 0 : storedFrom);
  const check = new ReceiptChainCheck(from, new Set(anchors.map(({ number }) => number)));
  const addAll = (links: readonly ChainEntry[]): boolean =>
    links.every((link) => link.receipt.number > lastNumber || link.receipt.number < from || check.add(link));
  if (addAll(credits) && addAll(waiting))
    for await (const entries of entriesInBooks) if (!addAll(chainEntries(entries))) break;
  return { from, check };
}

/** Returns the creation time of an account in the books, or that in Redis. */
function creationTime({ createdAt }: Account, options: VerifyOptions): string {
  return options.createdAt === "" ? createdAt : options.createdAt;
}

/** Returns the lowest receipt number, of `others` and of the first page of the books that contains calls. */
async function oldestReceipt(
  pages: ReturnType<VerifyOptions["readEntries"]>,
  others: readonly number[],
): Promise<number> {
  for await (const entries of pages) {
    const calls = chainEntries(entries).filter(({ kind }) => kind === "settlement");
    if (calls.length > 0) return Math.min(...calls.map(receiptNumber), ...others);
  }
  return Math.min(...others);
}

function chainEntries(entries: readonly (CreditEvent | UsageEvent)[]): readonly ChainEntry[] {
  return entries.flatMap((entry) => ("costNanos" in entry ? settlementEntry(entry) : creditEntry(entry)) ?? []);
}

function receiptNumber({ receipt }: ChainEntry): number {
  return receipt.number;
}

async function compareAmounts(
  redis: Redis,
  { id }: Account,
  snapshot: Snapshot,
  check: ReceiptChainCheck,
  from: number,
): Promise<Divergence | undefined> {
  const balance = snapshot.availableNanos + snapshot.heldNanos;
  const last = check.last?.receipt;
  if (last !== undefined && last.hash !== snapshot.head)
    return { receipt: last.number, message: "is not the newest one that the account has" };
  const computed = BigInt(last?.balanceNanos ?? "0");
  const differ = (amount: string, stored: bigint, sum: bigint): Divergence | undefined =>
    stored === sum ? undefined : { message: `the account has ${amount} ${stored}, but its receipts add up to ${sum}` };
  const credits = await listCredits(redis, id);
  const credited = credits
    .filter(({ receipt }) => receipt !== undefined && receipt.number <= snapshot.receipts)
    .reduce((sum, { nanos }) => sum + BigInt(nanos), 0n);
  return (
    (last === undefined && from > 1 ? undefined : differ("a balance of", balance, computed)) ??
    differ("credits of", snapshot.creditedNanos, credited) ??
    differ("spending of", snapshot.spentNanos, from === 1 ? check.spentNanos : snapshot.creditedNanos - balance) ??
    (snapshot.openHoldsNanos === undefined || snapshot.openHoldsNanos === snapshot.heldNanos
      ? undefined
      : { message: `the account holds ${snapshot.heldNanos}, but its open calls hold ${snapshot.openHoldsNanos}` })
  );
}

/** Returns the first difference between the anchors and the current chain. */
async function compareAnchors(
  { anchors, createdAt, wasReplaced }: VerifyOptions,
  snapshot: Snapshot,
  check: ReceiptChainCheck,
  from: number,
): Promise<Divergence | undefined> {
  let confirmsHead = false;
  for (const anchor of anchors) {
    const { number, head, time } = anchor;
    const signed = `the head that was signed at ${time}`;
    if (anchor.createdAt !== createdAt)
      return { message: `the account was created at ${anchor.createdAt} according to ${signed}` };
    if (number > snapshot.receipts)
      return {
        receipt: snapshot.receipts,
        message: `is the newest one, but ${signed} is receipt ${number}: the end is missing`,
      };
    const hash = number === snapshot.receipts ? snapshot.head : check.anchoredHash(number);
    if (hash !== undefined && hash !== head && !(await wasReplaced(head)))
      return { receipt: number, message: `is not ${signed}` };
    const balance = (snapshot.availableNanos + snapshot.heldNanos).toString();
    confirmsHead ||= number === snapshot.receipts && hash === head && anchor.balanceNanos === balance;
  }
  if (check.last !== undefined || from === 1 || confirmsHead) return undefined;
  return { message: `none of its ${snapshot.receipts} receipts is stored, and its balance was not signed` };
}

/**
 * Claims the verification of an account for one ledger, for `forMs`. Returns false if another ledger has claimed it.
 */
export async function claimVerification(redis: Redis, accountId: string, forMs: number): Promise<boolean> {
  return (await redis.set(accountKeys.verifying(accountId), "1", "PX", forMs, "NX")) !== null;
}

/** Stores the result of a verification. A divergent account is listed until a later verification succeeds. */
export async function storeVerification(
  redis: Redis,
  { account, divergence }: Pick<Verification, "account" | "divergence">,
): Promise<void> {
  if (divergence === undefined) await redis.hdel(accountKeys.divergences, account);
  else await redis.hset(accountKeys.divergences, account, JSON.stringify(divergence));
}

/** Returns the number of accounts whose last verification found a divergence. */
export async function countDivergences(redis: Redis): Promise<number> {
  return redis.hlen(accountKeys.divergences);
}

export async function listDivergences(redis: Redis): Promise<readonly string[]> {
  return redis.hkeys(accountKeys.divergences);
}
