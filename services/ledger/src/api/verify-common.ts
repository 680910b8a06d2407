import { storeVerification } from "@modelgate/accounts";
import {
  auditAnchor,
  readLostAnchors,
  readAnchor,
  storeAnchor,
  verifyAudit,
  type Anchor,
  type AnchorSigner,
  type Books,
} from "@modelgate/books";
import { alteredPrices } from "@modelgate/catalog";
import { withoutUndefined } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";

/** Id under which results about the tables without an account are stored. */
export const commonTables = auditAnchor;

/** Dependencies of the verification of tables without an account. */
export interface CommonDeps {
  readonly redis: Redis;
  readonly connection: BooksConnection;
  readonly signer: AnchorSigner;
}

/** Result of verifying tables without an account. */
export interface CommonVerification {
  readonly ok: boolean;
  /** Number of entries in the audit log. */
  readonly entries: number;
  readonly divergence?: { readonly message: string };
}

/**
 * Verifies the audit log, published prices and the set of accounts. Stores an anchor of the audit log. `anchor` was
 * stored outside the books.
 */
export async function verifyCommon(
  { redis, connection, signer }: CommonDeps,
  anchor?: Anchor,
): Promise<CommonVerification> {
  const prices = await alteredPrices(redis);
  const { entries, message } = await connection.use(async (books) => {
    const audit = await verifyAuditOf(books, signer, anchor);
    const [missingAccount] = await readLostAnchors(books, 1);
    return {
      entries: audit.entries,
      message:
        audit.message ??
        (missingAccount === undefined
          ? undefined
          : `account ${missingAccount} no longer exists, but its receipts were signed`) ??
        (prices[0] === undefined ? undefined : `the price of version ${prices[0]} differs from the published one`),
    };
  });
  const divergence = message === undefined ? undefined : { message };
  const verification = withoutUndefined({ ok: message === undefined, entries, divergence });
  await storeVerification(redis, withoutUndefined({ account: commonTables, divergence }));
  return verification;
}

async function verifyAuditOf(books: Books, signer: AnchorSigner, expected: Anchor | undefined) {
  const storedAnchor = await readAnchor(books, auditAnchor);
  const anchors = [storedAnchor, expected].filter((anchor) => anchor !== undefined);
  const { head, message } = await verifyAudit(
    books,
    anchors.map((anchor) => ({ number: anchor.number, hash: anchor.head })),
  );
  const forged = anchors.some((anchor) => !signer.isGenuine(anchor));
  const reason = message ?? (forged ? "its anchor was not signed with MODELGATE_SECRET" : undefined);
  if (reason !== undefined) return { entries: head.number, message: `the audit: ${reason}` };
  if (head.number > 0 && !(storedAnchor?.number === head.number && signer.isCurrent(storedAnchor))) {
    const unsigned = { account: auditAnchor, number: head.number, head: head.hash, balanceNanos: "0", createdAt: "" };
    await storeAnchor(books, signer.sign({ ...unsigned, time: new Date().toISOString() }));
  }
  return { entries: head.number };
}
