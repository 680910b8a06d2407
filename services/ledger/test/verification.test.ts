import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountKeys, createAccount, hold, settle, shardOf } from "@modelgate/accounts";
import {
  bookAccount,
  createAnchorSigner,
  deleteOldCalls,
  recordCalls,
  recordCredits,
  type Anchor,
  type Books,
} from "@modelgate/books";
import { priceVersionOf, priceVersionsKey } from "@modelgate/catalog";
import { compilePrice, type CreditEvent } from "@modelgate/contracts";
import type { OperatorCall } from "@modelgate/platform";
import { testUsageDraft, startBackends, type Backends } from "@modelgate/testkit";
import { verificationRoutes } from "../src/api/verification.ts";
import { engines, newBooks } from "./engines.ts";

interface Page {
  readonly accounts: readonly { readonly ok: boolean; readonly divergence?: { readonly message: string } }[];
  readonly common: { readonly ok: boolean; readonly divergence?: { readonly message: string } } | null;
}

describe.each(engines)("books in $name", ({ kind }) => {
  let backends: Backends;
  let redis: Redis;
  let books: Books;
  let at = 0;
  beforeAll(async () => {
    [backends, books] = await Promise.all([startBackends(), newBooks({ kind })]);
    redis = new Redis(backends.redisUrl);
  });
  afterAll(async () => {
    await books?.[Symbol.asyncDispose]();
    redis?.disconnect();
    await backends?.[Symbol.asyncDispose]();
  });

  async function get(path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const connection = {
      use: <T>(step: (books: Books) => Promise<T>) => step(books),
      useDuringMove: <T>(step: (books: Books) => Promise<T>) => step(books),
      setMoving: () => undefined,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    // No events are in transit, so a short wait is enough.
    const signer = createAnchorSigner(["a secret"]);
    const routes = verificationRoutes({ redis, connection, signer, waitMs: 100 });
    const call: OperatorCall = {
      operator: { name: "Ada", role: "admin" },
      headers: {},
      address: "",
      params: {},
      query: new URLSearchParams(query),
      body: undefined,
      actor: "Ada",
    };
    return routes[`GET ${path}`]?.(call);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the routes return this type
  const verified = async (query: Readonly<Record<string, string>> = {}) =>
    (await get("/ledger/verification", query)) as Page;
  const anchors = async () =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the route returns this type
    ((await get("/ledger/anchors")) as { readonly anchors: readonly Anchor[] }).anchors;

  /** Creates an account with an opening credit and two settled calls. Returns its id. */
  async function bookedAccount(): Promise<string> {
    const id = `account-${at++}`;
    const createdAt = new Date().toISOString();
    await bookAccount(books, { id, name: id, createdAt }, "Ada");
    await createAccount(redis, { id, balance: 1_000n, createdAt });
    const credits = Object.values(await redis.hgetall(accountKeys.credits(id)));
    await recordCredits(
      books,
      credits.map((text): CreditEvent => JSON.parse(text)),
    );
    for (const call of ["one", "two"]) await settled(id, call);
    return id;
  }

  async function settled(id: string, call: string, time = new Date().toISOString()): Promise<void> {
    const draft = { ...testUsageDraft(id, `${id}-${call}`), time };
    const one = { accountId: id, callId: draft.id, tokenId: draft.tokenId, tokens: 0, draft };
    await hold(redis, { ...one, nanos: 100n, floorNanos: 0n, leaseMs: 60_000, outboxBound: 1_000 });
    const settlement = await settle(redis, { ...one, costNanos: 70n });
    if (settlement !== undefined) await recordCalls(books, [settlement.event]);
  }

  test("the anchors of valid books are stored", async () => {
    const id = await bookedAccount();
    expect(await verified()).toMatchObject({
      accounts: [{ account: id, ok: true, to: 3 }],
      common: { ok: true, entries: 1 },
    });
    expect(await anchors()).toMatchObject([
      { account: "", number: 1 },
      { account: id, number: 3, balanceNanos: "860" },
    ]);
  });

  test("books and Redis that are both reset to an earlier receipt are invalid, also after further calls", async () => {
    const id = await bookedAccount();
    const { outbox, account } = {
      outbox: accountKeys.outbox(/\{s(\d\d)\}/.exec(accountKeys.account(id))?.[1] ?? ""),
      account: accountKeys.account(id),
    };
    const before = await redis.hgetall(account);
    const rows = await books.db.selectFrom("accounts").selectAll().where("account", "=", id).executeTakeFirstOrThrow();
    await settled(id, "three");
    expect(await verified({ account: id })).toMatchObject({ accounts: [{ ok: true, to: 4 }] });
    const [kept] = (await anchors()).filter((anchor) => anchor.account === id);
    await redis.hset(account, before);
    await redis.del(outbox);
    for (const table of ["calls", "call_ids"] as const)
      await books.db.deleteFrom(table).where("id", "=", `${id}-three`).execute();
    for (const table of ["hourly_totals", "daily_totals"] as const)
      await books.db.updateTable(table).set({ calls: 2, cost: 140n }).where("account", "=", id).execute();
    const { receipts, head, balance, chain, tip } = rows;
    await books.db
      .updateTable("accounts")
      .set({ receipts, head, balance, chain, tip })
      .where("account", "=", id)
      .execute();
    expect(await verified({ account: id })).toMatchObject({
      accounts: [{ ok: false, divergence: { message: expect.stringContaining("the end is missing") } }],
    });
    await settled(id, "four");
    const other = {
      accounts: [{ ok: false, divergence: { receipt: 4, message: expect.stringMatching(/^is not the head/) } }],
    };
    expect(await verified({ account: id })).toMatchObject(other);
    // Valid without the anchor in the books, invalid with the one stored outside.
    await books.db.deleteFrom("anchors").where("account", "=", id).execute();
    expect(await verified({ account: id })).toMatchObject({ accounts: [{ ok: true }] });
    expect(await verified({ account: id, anchor: JSON.stringify(kept) })).toMatchObject(other);
    await expect(verified({ account: id, anchor: JSON.stringify({ ...kept, number: 3 }) })).rejects.toThrow(
      /has signed/,
    );
  });

  test("an account whose first calls were deleted is valid, even if calls are kept longer now", async () => {
    const id = `account-${at++}`;
    const createdAt = new Date(Date.now() - 100 * 86_400_000).toISOString();
    await bookAccount(books, { id, name: id, createdAt }, "Ada");
    await createAccount(redis, { id, balance: 1_000n, createdAt });
    await settled(id, "old", createdAt);
    await settled(id, "new");
    await redis.del(accountKeys.outbox(shardOf(id)));
    await deleteOldCalls(books, 2, Date.now());
    expect(await verified({ account: id })).toMatchObject({ accounts: [{ ok: true, from: 3, to: 3 }] });
  });

  test.each<[string, (id: string) => Promise<unknown>, RegExp]>([
    [
      "the totals differ from the calls",
      (id) => books.db.updateTable("daily_totals").set({ cost: 7n }).where("account", "=", id).execute(),
      /the totals of the day/,
    ],
    [
      "an anchor is changed",
      (id) => books.db.updateTable("anchors").set({ balance: "7" }).where("account", "=", id).execute(),
      /was not signed with MODELGATE_SECRET/,
    ],
    [
      "the account was created at another time",
      (id) =>
        books.db.updateTable("accounts").set({ created: "2020-01-01T00:00:00Z" }).where("account", "=", id).execute(),
      /the account was created at/,
    ],
  ])("%s: the account's books are invalid", async (_, harm, message) => {
    const id = await bookedAccount();
    expect(await verified({ account: id })).toMatchObject({ accounts: [{ ok: true }] });
    await harm(id);
    expect(await verified({ account: id })).toMatchObject({
      accounts: [{ ok: false, divergence: { message: expect.stringMatching(message) } }],
    });
  });

  test.each<[string, (id: string) => Promise<unknown>, RegExp]>([
    [
      "a price is changed",
      () => {
        const [price, other] = [{ input: 1 }, { input: 2 }];
        const version = priceVersionOf(compilePrice(price));
        return redis.hset(priceVersionsKey, version, JSON.stringify({ price: other }));
      },
      /the price of version [0-9a-f]{12} differs from the published one/,
    ],
    [
      "an account is deleted",
      (id) => books.db.deleteFrom("accounts").where("account", "=", id).execute(),
      /no longer exists/,
    ],
    [
      "an entry of the audit is deleted",
      (id) => books.db.deleteFrom("audit").where("account", "=", id).execute(),
      /the audit: entry \d+ is missing/,
    ],
  ])("%s: the records without an account are invalid", async (_, harm, message) => {
    await redis.del(priceVersionsKey);
    const id = await bookedAccount();
    await verified({ account: id });
    await harm(id);
    expect(await verified()).toMatchObject({
      common: { ok: false, divergence: { message: expect.stringMatching(message) } },
    });
  });
});
