import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bookToken,
  changeBookedToken,
  deleteBookedToken,
  readAudit,
  readExpiringTokens,
  readTokensOf,
  rotateBookedToken,
  type Books,
} from "../src/index.ts";
import { engines, newBooks, type TestEngine } from "./engines.ts";

describe.each(engines)("tokens in $name", ({ start }) => {
  let engine: TestEngine;
  let books: Books;
  beforeAll(async () => {
    engine = await start();
    books = await newBooks(engine);
  });
  afterAll(async () => {
    await books?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  test("an account has at most the maximum, including disabled ones", async () => {
    const book = (id: string, account: string, max?: number, record: object = { disabled: true }) =>
      bookToken(books, { account, id, digest: id.repeat(8), record: { ...record }, max }, "ada");
    expect(await book("tok_1", "acme", 2)).toMatchObject({ created: true });
    expect(await book("tok_2", "acme", 2)).toMatchObject({ created: true });
    expect(await book("tok_3", "acme", 2)).toBeUndefined();
    expect(await book("tok_4", "rival", 2)).toMatchObject({ created: true });
    expect(await book("tok_5", "acme")).toMatchObject({ created: true });
    // Keys of playgrounds do not count; a name that resembles one does.
    await book("tok_6", "played", undefined, { playgroundOf: "mia" });
    expect(await book("tok_7", "played", 1, { name: '"playgroundOf":' })).toMatchObject({ created: true });
    expect(await book("tok_8", "played", 1)).toBeUndefined();
  });

  const act = { actor: "ada", action: "token.set" };
  const create = (account: string, id: string) =>
    bookToken(books, { account, id, digest: "old", record: { id, hint: "sk-old" }, max: 1 }, "ada");

  test("two concurrent rotations leave one current and one previous key", async () => {
    await create("twice", "tok_twice");
    const rotate = (digest: string) =>
      rotateBookedToken(books, "tok_twice", { digest, hint: `sk-${digest}`, graceSeconds: 3_600 }, "ada");
    await Promise.all([rotate("one"), rotate("two")]);
    const [token] = await readTokensOf(books, ["twice"]);
    if (token === undefined) throw new Error("no token");
    const [previous, ended] = token.replaced;
    expect(new Set([token.digest, previous?.digest])).toEqual(new Set(["one", "two"]));
    expect(token).toMatchObject({ version: 3, record: { hint: `sk-${token.digest}` } });
    expect(Date.parse(previous?.expiresAt ?? "")).toBeGreaterThan(Date.now());
    expect(ended).toMatchObject({ digest: "old", hint: "sk-old" });
    expect(Date.parse(ended?.expiresAt ?? "")).toBeLessThanOrEqual(Date.now());
    const audit = await readAudit(books, { accounts: ["twice"], limit: 10 });
    expect(audit.map(({ action }) => action).sort()).toEqual(["token.create", "token.rotate", "token.rotate"]);
    expect(JSON.stringify(audit)).not.toContain("digest");
  });

  test("a rotation changes the record too, and a later expiry does not extend the life of the replaced key", async () => {
    await create("renewed", "tok_renewed");
    const rotate = (digest: string, change: Readonly<Record<string, unknown>>) =>
      rotateBookedToken(books, "tok_renewed", { digest, hint: digest, graceSeconds: 3_600, change }, "ada");
    const [past, later] = ["2026-01-01T00:00:00.000Z", "2040-01-01T00:00:00.000Z"];
    await rotate("one", { expiresAt: past, group: "gold" });
    const token = await rotate("two", { expiresAt: later, group: null });
    expect(token).toMatchObject({ digest: "two", record: { hint: "two", expiresAt: later } });
    expect(token?.record).not.toHaveProperty("group");
    expect(token?.replaced[0]).toMatchObject({ digest: "one", expiresAt: past });
  });

  test("expiring tokens are read although the record of one is unusual", async () => {
    const from = Date.parse("2031-01-01T12:00:00Z");
    const book = (id: string, record: object) =>
      bookToken(books, { account: "expiring", id, digest: `${id} of expiring`, record: { id, ...record } }, "ada");
    await book("tok_null", { name: "a\0b", expiresAt: "2031-01-02T00:00:00.000Z" });
    await book("tok_half", { name: "\ud83d", expiresAt: "2031-01-01T12:00:01.000Z" });
    await book("tok_past", { expiresAt: "2031-01-01T12:00:00.000Z" });
    await book("tok_later", { expiresAt: "2031-01-03T12:00:00.001Z" });
    await book("tok_tagged", { tags: { expiresAt: "2031-01-02T00:00:00.000Z" } });
    const found = async (limit: number) =>
      (await readExpiringTokens(books, { from, to: from + 2 * 86_400_000, limit })).map(({ id }) => id);
    expect(await found(10)).toEqual(["tok_half", "tok_null"]);
    expect(await found(1)).toEqual(["tok_half"]);
  });

  test("a deleted token frees its place for another one, cannot be changed, and is not created again", async () => {
    await create("gone", "tok_gone");
    expect(await deleteBookedToken(books, "tok_gone", "ada")).toMatchObject({ version: 2 });
    expect(await changeBookedToken(books, "tok_gone", { disabled: false }, act)).toBeUndefined();
    expect(await deleteBookedToken(books, "tok_gone", "ada")).toBeUndefined();
    const again = await create("gone", "tok_gone");
    expect(again).toMatchObject({ created: false, token: { deletedAt: expect.any(String) } });
    expect(await create("gone", "tok_other")).toMatchObject({ created: true });
    const audit = await readAudit(books, { accounts: ["gone"], limit: 10 });
    expect(audit.find(({ action }) => action === "token.delete")).toMatchObject({
      actor: "ada",
      before: { id: "tok_gone" },
      after: null,
    });
  });
});
