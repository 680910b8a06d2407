import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bookAccount,
  bookOrganisation,
  bookTeam,
  bookToken,
  changeMembership,
  readCalls,
  readOrganisations,
  readRefused,
  readTotals,
  recordCalls,
  recordRefused,
  type Books,
} from "../src/index.ts";
import { callOf, engines, newBooks, type TestEngine } from "./engines.ts";

const createdAt = "2026-01-01T00:00:00.000Z";
const day = { from: Date.parse("2026-01-10"), to: Date.parse("2026-01-11") };

describe.each(engines)("$name", ({ start }) => {
  let engine: TestEngine;
  let books: Books;
  beforeAll(async () => {
    engine = await start();
    books = await newBooks(engine);
    for (const id of ["wallet", "other", "rival"]) await bookAccount(books, { id, name: id, createdAt }, "ada");
    for (const id of ["acme", "evil"]) await bookOrganisation(books, { id, name: id }, "ada");
  });
  afterAll(async () => {
    await books?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  const team = (organisation: string, id: string, account: string) =>
    bookTeam(books, { organisation, id, name: id, account }, "ada");

  test("an account belongs to one organisation, whose teams may share it", async () => {
    expect(await bookOrganisation(books, { id: "acme", name: "again" }, "ada")).toBe(false);
    expect((await readOrganisations(books)).map(({ id, name }) => [id, name])).toEqual([
      ["acme", "acme"],
      ["evil", "evil"],
    ]);
    expect(await team("acme", "search", "wallet")).toBe("created");
    expect(await team("acme", "ads", "wallet")).toBe("created");
    expect(await team("acme", "search", "other")).toBe("exists");
    expect(await team("acme", "lost", "no-such-account")).toBe("no-account");
    expect(await team("evil", "search", "wallet")).toBe("no-account");
    expect(await team("evil", "search", "rival")).toBe("created");
    const both = await Promise.all([team("acme", "raced", "other"), team("evil", "raced", "other")]);
    expect(both.toSorted()).toEqual(["created", "no-account"]);
    const [acme] = await readOrganisations(books, { account: "wallet" });
    expect(acme).toMatchObject({ id: "acme", name: "acme" });
    expect(acme?.teams.filter(({ account }) => account === "wallet").map(({ id }) => id)).toEqual(["ads", "search"]);
    expect(await readOrganisations(books, { id: "absent" })).toEqual([]);
  });

  test("a person has one role per team, which can be changed and ended", async () => {
    const set = (of: string, role: "admin" | "member" | null) =>
      changeMembership(books, "acme", { person: "mia", team: of, role }, "ada");
    const roles = async () => (await readOrganisations(books, { id: "acme" }))[0]?.memberships;
    expect(await set("search", "member")).toBe(true);
    await set("", "admin");
    await set("search", "admin");
    expect(await roles()).toEqual([
      { person: "mia", team: "", role: "admin" },
      { person: "mia", team: "search", role: "admin" },
    ]);
    await set("", null);
    expect(await roles()).toEqual([{ person: "mia", team: "search", role: "admin" }]);
  });

  test("nothing is stored for an organisation or a team that does not exist", async () => {
    await bookAccount(books, { id: "free", name: "free", createdAt }, "ada");
    expect(await team("absent", "search", "free")).toBe("no-organisation");
    expect(await team("acme", "search-2", "free")).toBe("created");
    const join = (organisation: string, of: string) =>
      changeMembership(books, organisation, { person: "zoe", team: of, role: "member" }, "ada");
    expect(await join("acme", "later")).toBe(false);
    expect(await join("evil", "search-2")).toBe(false);
    expect(await join("absent", "")).toBe(false);
    await team("acme", "later", "free");
    await bookOrganisation(books, { id: "absent", name: "absent" }, "ada");
    const all = await readOrganisations(books);
    expect(all.flatMap(({ memberships }) => memberships).filter(({ person }) => person === "zoe")).toEqual([]);
    expect(await join("acme", "later")).toBe(true);
  });

  test("calls, totals and refused calls of teams, whose ids two organisations may share", async () => {
    const keys = [
      ["wallet", "tok_search", "search"],
      ["wallet", "tok_ads", "ads"],
      ["wallet", "tok_plain", undefined],
      ["rival", "tok_rival", "search"],
    ] as const;
    for (const [account, id, of] of keys)
      await bookToken(books, { account, id, digest: id, record: { id, team: of }, team: of }, "ada");
    await recordCalls(
      books,
      keys.map(([accountId, tokenId]) => callOf(`call of ${tokenId}`, { accountId, tokenId, tags: { app: "x" } })),
    );
    await recordRefused(
      books,
      keys.map(([accountId, tokenId]) => ({
        call: {
          id: tokenId,
          time: "2026-01-10T10:00:00.000Z",
          requestId: tokenId,
          accountId,
          tokenId,
          endpoint: "POST /",
          status: 402,
          code: "insufficient_quota",
        },
        calls: 1,
      })),
    );
    const tokensOf = async (filter: { organisation?: string; teams?: readonly string[] }) => {
      const reading = { order: "oldest first", limit: 10 } as const;
      const labels = [{ name: "tag:app", value: "x" }] as const;
      const found = [
        (await readCalls(books, { ...day, ...filter }, reading)).events.map(({ tokenId }) => tokenId),
        (await readCalls(books, { ...day, ...filter, labels }, reading)).events.map(({ tokenId }) => tokenId),
        (await readRefused(books, { ...day, ...filter }, { limit: 10 })).refusals.map(({ call }) => call.tokenId),
        (await readTotals(books, { ...day, ...filter, groupBy: ["token"] })).map(({ by }) => by.token ?? ""),
        (await readTotals(books, { ...day, ...filter, groupBy: ["token", "tag:app"] })).map(({ by }) => by.token ?? ""),
      ].map((tokens) => tokens.toSorted());
      expect(found).toEqual(found.map(() => found[0]));
      const [byTag] = await readTotals(books, { ...day, ...filter, groupBy: ["tag:app"] });
      expect(byTag?.sums["calls"] ?? "0").toBe(String(found[0]?.length));
      return found[0];
    };
    expect(await tokensOf({ organisation: "acme" })).toEqual(["tok_ads", "tok_plain", "tok_search"]);
    expect(await tokensOf({ organisation: "acme", teams: ["search"] })).toEqual(["tok_search"]);
    expect(await tokensOf({ organisation: "acme", teams: ["ads", "search"] })).toEqual(["tok_ads", "tok_search"]);
    expect(await tokensOf({ organisation: "acme", teams: [] })).toEqual([]);
    expect(await tokensOf({ organisation: "acme", teams: [""] })).toEqual([]);
    expect(await tokensOf({ organisation: "evil", teams: ["search", "ads"] })).toEqual(["tok_rival"]);
  });
});
