import {
  findAccount,
  storeVerification,
  listAccountIds,
  readHeads,
  verifyAccount,
  type Verification,
} from "@modelgate/accounts";
import {
  findAccounts,
  readAnchor,
  readReceipts,
  readRestorations,
  readSecondSettlements,
  readStoredFrom,
  storeAnchor,
  verifyTotals,
  wasReplaced,
  type Anchor,
  type AnchorSigner,
  type Books,
  type Restoration,
} from "@modelgate/books";
import { Failure } from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { anchorIn, anchorRoutes } from "./anchors.ts";
import { verifyCommon } from "./verify-common.ts";

/** Maximum accounts that one request verifies. */
const pageSize = 20;
const defaultWaitMs = 15_000;

/** Dependencies of the verification. */
export interface VerificationDeps {
  readonly redis: Redis;
  readonly connection: BooksConnection;
  readonly signer: AnchorSigner;
  /** Maximum wait in ms until the books have the account's receipts. */
  readonly waitMs?: number;
}

/**
 * Verifies the books of an account. `anchor` was stored outside the books. Returns undefined for an unknown account.
 */
export type Verifier = (id: string, anchor?: Anchor) => Promise<Verification | undefined>;

/**
 * Creates a function that verifies an account: its receipts, balance, calls and totals. It then stores an anchor for
 * later verifications.
 */
export function createVerifier(deps: VerificationDeps): Verifier {
  const { redis, connection, signer, waitMs = defaultWaitMs } = deps;
  return async (id, expected) => {
    const verification = await connection.use(async (books) => {
      await waitUntilComplete(redis, books, id, waitMs);
      const [booked] = await findAccounts(books, [id]);
      const stored = await readAnchor(books, id);
      const anchors = [stored, expected].filter((anchor) => anchor !== undefined);
      const createdAt = booked?.createdAt ?? "";
      const verified = await verifyAccount(redis, id, {
        storedFrom: await readStoredFrom(books),
        waitMs,
        createdAt,
        anchors,
        wasReplaced: (hash) => wasReplaced(books, id, hash),
        readEntries: (from) => readReceipts(books, id, from),
      });
      if (verified === undefined) return undefined;
      const message = verified.ok ? await findDifference(books, id, booked !== undefined, anchors, signer) : undefined;
      if (message !== undefined) return { ...verified, ok: false, divergence: { message } };
      if (verified.ok && createdAt !== "") await storeNewAnchor(books, verified, createdAt, signer, stored);
      return verified;
    });
    if (verification !== undefined) await storeVerification(redis, verification);
    return verification;
  };
}

/**
 * Checks that an account is in the books, that its anchors are genuine, and that its totals are correct. Returns a
 * description of the first error.
 */
async function findDifference(
  books: Books,
  id: string,
  isBooked: boolean,
  anchors: readonly Anchor[],
  signer: AnchorSigner,
): Promise<string | undefined> {
  if (!isBooked) return "the account is not in the books";
  const forged = anchors.find((anchor) => !signer.isGenuine(anchor));
  if (forged !== undefined) return `the anchor of ${forged.time} was not signed with MODELGATE_SECRET`;
  return verifyTotals(books, id);
}

async function storeNewAnchor(
  books: Books,
  { account, to: number, head, balanceNanos }: Verification,
  createdAt: string,
  signer: AnchorSigner,
  before: Anchor | undefined,
): Promise<void> {
  const anchor = { account, number, head, balanceNanos: balanceNanos.toString(), createdAt };
  const signed = signer.sign({ ...anchor, time: new Date().toISOString() });
  // After a change of the secret, the same receipt is signed again.
  const isSigned = before?.number === number && before.head === head && signer.isCurrent(before);
  if (!isSigned) await storeAnchor(books, signed);
}

/** Routes of verification and anchors. */
export function verificationRoutes(deps: VerificationDeps): OperatorRoutes {
  const { redis, connection, signer } = deps;
  const verifyBooks = createVerifier(deps);
  const verify = async (id: string, anchor?: Anchor) => {
    const verification = await verifyBooks(id, anchor);
    if (verification === undefined) return undefined;
    return connection.use(async (books) => ({
      ...publicVerification(verification, await readRestorations(books, id, maxRestorations)),
      settledTwice: (await readSecondSettlements(books, id)).length,
    }));
  };
  return {
    ...anchorRoutes(deps),
    "GET /ledger/verification": async ({ query }) => {
      const account = query.get("account");
      const after = query.get("after");
      const anchor = anchorIn(query, signer);
      if (account !== null && (await findAccount(redis, account)) === undefined)
        throw new Failure("unknown_url", `There is no account ${JSON.stringify(account.slice(0, 100))}.`);
      const ids =
        account === null
          ? (await listAccountIds(redis)).filter((id) => id > (after ?? "")).slice(0, pageSize)
          : [account];
      const verifications = await Promise.all(ids.map((id) => verify(id, account === null ? undefined : anchor)));
      return {
        accounts: verifications.filter((verification) => verification !== undefined),
        // The first page also verifies tables that belong to no account.
        common: account === null && after === null ? await verifyCommon(deps, anchor) : null,
        next: ids.length === pageSize ? ids.at(-1) : null,
      };
    },
  };
}

const pollMs = 100;

/**
 * Waits until the receipts of an account have no gap in the books, and Redis is not behind the books. Otherwise receipts
 * in transit would appear as errors.
 */
async function waitUntilComplete(redis: Redis, books: Books, id: string, waitMs: number): Promise<void> {
  for (const end = Date.now() + waitMs; Date.now() < end;) {
    const [account] = await findAccounts(books, [id]);
    const [redisHead] = await readHeads(redis, [id]);
    if (account?.isComplete === true && (redisHead?.receipts ?? 0) >= account.receipts) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

const maxRestorations = 20;

function publicVerification(
  { balanceNanos, head: _head, ...verification }: Verification,
  restored: readonly Restoration[],
) {
  return { ...verification, balanceNanos: balanceNanos.toString(), restored };
}
