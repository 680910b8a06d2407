import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Secrets } from "@modelgate/platform";
import { readAccountPages } from "./accounts/account.ts";
import type { Books } from "./open.ts";
import { replaceRows, type Replacement } from "./operators/replace-encrypted.ts";
import type { AnchorsTable } from "./schema.ts";

/**
 * Signature of the newest receipt of an account, or of the newest entry of the audit. It is stored after a successful
 * verification. A later chain without this receipt or entry was altered or truncated.
 */
export interface Anchor {
  /** Account of the chain; "" for the audit. */
  readonly account: string;
  readonly number: number;
  /** Hash of the receipt or entry. */
  readonly head: string;
  /** Balance after this receipt, in nano-dollars. */
  readonly balanceNanos: string;
  readonly createdAt: string;
  readonly time: string;
  /** HMAC-SHA-256 (Base64) of the other members. */
  readonly signature: string;
}

/** Signs anchors, and verifies their signatures. */
export interface AnchorSigner {
  sign(anchor: Omit<Anchor, "signature">): Anchor;
  isGenuine(anchor: Anchor): boolean;
  /** Returns whether the anchor was signed with the current secret. */
  isCurrent(anchor: Anchor): boolean;
}

/** Value of an anchor's `account` for the audit. */
export const auditAnchor = "";

/** Creates a signer. It signs with the current secret, and accepts signatures of all secrets. */
export function createAnchorSigner(secrets: Secrets): AnchorSigner {
  const keyOf = (secret: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", "ledger anchors", 32));
  const [current, ...accepted] = secrets;
  const [currentKey, ...otherKeys] = [keyOf(current), ...accepted.map(keyOf)] as const;
  const signatureOf = (key: Buffer, anchor: Omit<Anchor, "signature">): Buffer => {
    const { account, number, head, balanceNanos, createdAt, time } = anchor;
    const text = JSON.stringify([account, number, head, balanceNanos, createdAt, time]);
    return createHmac("sha256", key).update(text).digest();
  };
  const isSignedWith = (key: Buffer, anchor: Anchor): boolean => {
    const [expected, signature] = [signatureOf(key, anchor), Buffer.from(anchor.signature, "base64")];
    return expected.length === signature.length && timingSafeEqual(expected, signature);
  };
  return {
    sign: (anchor) => ({ ...anchor, signature: signatureOf(currentKey, anchor).toString("base64") }),
    isGenuine: (anchor) => [currentKey, ...otherKeys].some((key) => isSignedWith(key, anchor)),
    isCurrent: (anchor) => isSignedWith(currentKey, anchor),
  };
}

/** Reads the anchor of an account or of the audit. */
export async function readAnchor({ db }: Books, account: string): Promise<Anchor | undefined> {
  const row = await db.selectFrom("anchors").selectAll().where("account", "=", account).executeTakeFirst();
  return row === undefined ? undefined : anchorFromRow(row);
}

/** Reads a page of anchors, ordered by account. They follow the account `after`. */
export async function readAnchors({ db }: Books, after: string | undefined, limit: number): Promise<readonly Anchor[]> {
  const all = db.selectFrom("anchors").selectAll();
  const rows = await (after === undefined ? all : all.where("account", ">", after))
    .orderBy("account")
    .limit(limit)
    .execute();
  return rows.map(anchorFromRow);
}

/** Stores an anchor, unless another ledger has stored one with a higher number. */
export async function storeAnchor({ db }: Books, anchor: Anchor): Promise<void> {
  const { account, balanceNanos: balance, createdAt: created, time, ...rest } = anchor;
  const row = { ...rest, balance, created, at: Date.parse(time) };
  await db
    .insertInto("anchors")
    .values({ account, ...row })
    .onConflict((conflict) => conflict.column("account").doUpdateSet(row).where("anchors.number", "<=", anchor.number))
    .execute();
}

function anchorFromRow({ balance, created, at, ...row }: AnchorsTable): Anchor {
  return { ...row, balanceNanos: balance, createdAt: created, time: new Date(at).toISOString() };
}

/** Returns whether this receipt of the account was replaced after a loss of data. */
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
 * Signs anchors with the current secret that another accepted secret has signed. An anchor that changes meanwhile is read
 * again.
 */
export async function signAnchorsAgain(books: Books, signer: AnchorSigner): Promise<Replacement> {
  return replaceRows({
    page: (after, limit) => readAnchors(books, after, limit),
    idOf: ({ account }) => account,
    readAgain: ({ account }) => readAnchor(books, account),
    async replaceRow(anchor) {
      if (signer.isCurrent(anchor)) return "current";
      if (!signer.isGenuine(anchor)) return "unreadable";
      return (await replaceSignature(books, anchor, signer.sign(anchor).signature)) ? "replaced" : "changed";
    },
  });
}

async function replaceSignature({ db }: Books, { account, signature: before }: Anchor, signature: string) {
  const { numUpdatedRows } = await db
    .updateTable("anchors")
    .set({ signature })
    .where("account", "=", account)
    .where("signature", "=", before)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Stores anchors of all accounts if no anchors are stored yet. Their calls may already be deleted, so only an anchor
 * can prove the balance.
 */
export async function storeFirstAnchors(books: Books, signer: AnchorSigner): Promise<void> {
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
