import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Secrets } from "@modelgate/platform";
import { readAccountPages } from "./accounts/account.ts";
import type { Books } from "./open.ts";
import type { AnchorsTable } from "./schema.ts";

/**
 * Signed head of a chain. It was signed when the complete chain was verified. If a chain does not contain its anchor,
 * the chain was altered; if it ends before the anchor, it was truncated.
 */
export interface Anchor {
  /** Account of the chain; "" for the audit. */
  readonly account: string;
  /** Number of the receipt or audit entry. */
  readonly number: number;
  /** Hash of the receipt or audit entry. */
  readonly head: string;
  /** Balance of the account after this receipt, in nano-dollars as decimal text. */
  readonly balanceNanos: string;
  /** Creation time of the account (RFC 3339); "" for the audit. */
  readonly createdAt: string;
  /** Time of the signature (RFC 3339). */
  readonly time: string;
  /** HMAC-SHA-256 of the other members, in Base64. */
  readonly signature: string;
}

/** Signs anchors with the secret in use, and verifies signatures of all accepted secrets. */
export interface AnchorSigner {
  sign(anchor: Omit<Anchor, "signature">): Anchor;
  isGenuine(anchor: Anchor): boolean;
  /** Returns whether the anchor was signed with the secret in use. */
  isCurrent(anchor: Anchor): boolean;
}

/** Value of an anchor's `account` for the audit. */
export const auditAnchor = "";

/**
 * Creates a signer. It signs with a key that is derived from the secret in use. Signatures of all accepted secrets are
 * valid.
 */
export function openAnchorSigner(secrets: Secrets): AnchorSigner {
  const keyOf = (secret: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", "ledger anchors", 32));
  const [current, ...accepted] = secrets;
  const [inUse, ...otherKeys] = [keyOf(current), ...accepted.map(keyOf)] as const;
  const signed = (key: Buffer, anchor: Omit<Anchor, "signature">): Buffer => {
    const { account, number, head, balanceNanos, createdAt, time } = anchor;
    const text = JSON.stringify([account, number, head, balanceNanos, createdAt, time]);
    return createHmac("sha256", key).update(text).digest();
  };
  const isSignedWith = (key: Buffer, anchor: Anchor): boolean => {
    const [expected, signature] = [signed(key, anchor), Buffer.from(anchor.signature, "base64")];
    return expected.length === signature.length && timingSafeEqual(expected, signature);
  };
  return {
    sign: (anchor) => ({ ...anchor, signature: signed(inUse, anchor).toString("base64") }),
    isGenuine: (anchor) => [inUse, ...otherKeys].some((key) => isSignedWith(key, anchor)),
    isCurrent: (anchor) => isSignedWith(inUse, anchor),
  };
}

/** Reads the anchor of an account or of the audit; undefined if its chain was not verified yet. */
export async function readAnchor({ db }: Books, account: string): Promise<Anchor | undefined> {
  const row = await db.selectFrom("anchors").selectAll().where("account", "=", account).executeTakeFirst();
  return row === undefined ? undefined : anchorOf(row);
}

/** Reads a page of anchors, ordered by account. `after` is the last account of the previous page. */
export async function readAnchors({ db }: Books, after: string | undefined, limit: number): Promise<readonly Anchor[]> {
  const all = db.selectFrom("anchors").selectAll();
  const rows = await (after === undefined ? all : all.where("account", ">", after))
    .orderBy("account")
    .limit(limit)
    .execute();
  return rows.map(anchorOf);
}

/**
 * Stores an anchor and replaces an earlier one. If another ledger has stored an anchor with a higher number, that one
 * is kept.
 */
export async function storeAnchor({ db }: Books, anchor: Anchor): Promise<void> {
  const { account, balanceNanos: balance, createdAt: created, time, ...rest } = anchor;
  const row = { ...rest, balance, created, at: Date.parse(time) };
  await db
    .insertInto("anchors")
    .values({ account, ...row })
    .onConflict((conflict) => conflict.column("account").doUpdateSet(row).where("anchors.number", "<=", anchor.number))
    .execute();
}

function anchorOf({ balance, created, at, ...row }: AnchorsTable): Anchor {
  return { ...row, balanceNanos: balance, createdAt: created, time: new Date(at).toISOString() };
}

/** Returns whether a receipt of the account had this hash before a lost Redis was restored. */
export async function wasReplaced({ db }: Books, account: string, hash: string): Promise<boolean> {
  const row = await db
    .selectFrom("other_receipts")
    .select("hash")
    .where("account", "=", account)
    .where("hash", "=", hash)
    .executeTakeFirst();
  return row !== undefined;
}

/** Reads accounts that have an anchor but are missing in the books. */
export async function readLostAnchors({ db }: Books, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("anchors")
    .select("account")
    .where("account", "<>", auditAnchor)
    .where("account", "not in", db.selectFrom("accounts").select("account"))
    .limit(limit)
    .execute();
  return rows.map(({ account }) => account);
}

/**
 * Signs the heads of all accounts with a complete chain, if the books contain no anchors yet because an earlier version
 * wrote the books. Calls of these accounts may already be deleted, so only an anchor can prove the balance.
 */
export async function signFirstHeads(books: Books, signer: AnchorSigner): Promise<void> {
  if ((await readAnchors(books, undefined, 1)).length > 0) return;
  const time = new Date().toISOString();
  for await (const page of readAccountPages(books))
    for (const { id: account, receipts: number, head, balanceNanos, createdAt, isComplete } of page)
      if (isComplete && number > 0 && createdAt !== "")
        await storeAnchor(
          books,
          signer.sign({ account, number, head, balanceNanos: balanceNanos.toString(), createdAt, time }),
        );
}
