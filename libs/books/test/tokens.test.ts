import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bookAccount,
  bookToken,
  changeBookedToken,
  deleteBookedToken,
  readAudit,
  readExpiringTokens,
  readTokensOf,
  readTokensWithRotation,
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
    expect(await book("tok_3", "acme", 2)).toBe("full");
    expect(await book("tok_4", "rival", 2)).toMatchObject({ created: true });
    expect(await book("tok_5", "acme")).toMatchObject({ created: true });
    // Keys of playgrounds are not counted. The second key is counted, although its name contains `"playgroundOf":`.
    await book("tok_6", "played", undefined, { playgroundOf: "mia" });
    expect(await book("tok_7", "played", 1, { name: '"playgroundOf":' })).toMatchObject({ created: true });
    expect(await book("tok_8", "played", 1)).toBe("full");
  });

  const act = { actor: "ada", action: "token.set" } as const;
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

  test("of many concurrent requests, an account gets its maximum of tokens", async () => {
    await bookAccount(books, { id: "crowded", name: "crowded", createdAt: "2026-01-01T00:00:00.000Z" }, "ada");
    const book = (id: string) =>
      bookToken(books, { account: "crowded", id, digest: id, record: { id }, max: 2 }, "ada");
    const booked = await Promise.all(["tok_c1", "tok_c2", "tok_c3", "tok_c4"].map(book));
    expect(booked.filter((each) => each === "full")).toHaveLength(2);
  });

  test("a person has one token of a playground for each group, and a new key replaces the last one", async () => {
    await bookAccount(books, { id: "games", name: "games", createdAt: "2026-01-01T00:00:00.000Z" }, "ada");
    const [past, later] = ["2026-01-01T00:00:00.000Z", "2040-01-01T00:00:00.000Z"];
    const play = (id: string, members: object) => {
      const record = { id, hint: `sk-${id}`, playgroundOf: "mia", group: "usual", expiresAt: later, ...members };
      return bookToken(books, { account: "games", id, digest: id, record }, "mia");
    };
    const live = async () => (await readTokensOf(books, ["games"])).filter(({ deletedAt }) => deletedAt === undefined);
    await Promise.all([play("tok_p1", {}), play("tok_p2", {}), play("tok_p3", {})]);
    const [only, ...more] = await live();
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      version: 3,
      replaced: [{ expiresAt: later }, { hint: expect.stringMatching(/^sk-/) }],
    });
    await play("tok_p4", { group: "gold" });
    await play("tok_p5", { playgroundOf: "zoe", expiresAt: past });
    expect(await live()).toHaveLength(3);
    // The id and the creation time do not change, and the old key does not live longer.
    const renewed = await play("tok_p6", { playgroundOf: "zoe", name: "Zoe" });
    expect(renewed).toMatchObject({
      created: false,
      token: { id: "tok_p5", digest: "tok_p6", record: { id: "tok_p5", name: "Zoe", expiresAt: later } },
    });
    expect(renewed).toMatchObject({ token: { replaced: [{ digest: "tok_p5", expiresAt: past }] } });
    await changeBookedToken(books, "tok_p5", { disabled: true }, act);
    expect(await play("tok_p7", { playgroundOf: "zoe" })).toMatchObject({
      token: { digest: "tok_p6", record: { disabled: true } },
    });
    await deleteBookedToken(books, "tok_p5", "ada");
    expect(await play("tok_p8", { playgroundOf: "zoe" })).toMatchObject({ created: true, token: { id: "tok_p8" } });
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
    const readExpiring = async (limit: number) =>
      (await readExpiringTokens(books, { from, to: from + 2 * 86_400_000, limit })).map(({ id }) => id);
    expect(await readExpiring(10)).toEqual(["tok_half", "tok_null"]);
    expect(await readExpiring(1)).toEqual(["tok_half"]);
  });

  test("tokens with a rotation period are read", async () => {
    const book = (id: string, record: object) =>
      bookToken(books, { account: "rotated", id, digest: id, record: { id, ...record } }, "ada");
    await book("tok_due", { rotateAfterDays: 30 });
    await book("tok_name", { name: '"rotateAfterDays":' });
    await book("tok_ended", { rotateAfterDays: 30 });
    await deleteBookedToken(books, "tok_ended", "ada");
    const found: string[] = [];
    for await (const tokens of readTokensWithRotation(books)) found.push(...tokens.map(({ id }) => id));
    expect(found).toEqual(["tok_due"]);
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
