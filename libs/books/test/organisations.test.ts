import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { writeAudit } from "../src/accounts/audit.ts";
import {
  bookAccount,
  bookOrganisation,
  bookTeam,
  bookToken,
  changeAccount,
  changeBookedBudgets,
  changeMembership,
  changeOrganisationBudgets,
  deleteBookedToken,
  deleteTeamOrOrganisation,
  findAccounts,
  markAccountsWritten,
  readAudit,
  readBudgetsOf,
  readCalls,
  readOrganisations,
  readRefused,
  readTokensOf,
  readTotals,
  readAccountsToWrite,
  readBudgetsToWrite,
  recordCalls,
  recordRefused,
  renameTeamOrOrganisation,
  type Books,
} from "../src/index.ts";
import { callOf, engines, newBooks, type TestEngine } from "./engines.ts";

const createdAt = "2026-01-01T00:00:00.000Z";
const day = { from: Date.parse("2026-01-10"), to: Date.parse("2026-01-11") };

/** Returns a shard of these tests: accounts share one if their ids are equal up to `~`. */
const shardOf = (account: string): string => account.split("~")[0] ?? "";

/** Returns true if a connection to a database of PostgreSQL waits for a lock. */
async function isWaitingForLock({ db }: Books): Promise<boolean> {
  const { rows } = await sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length > 0;
}

describe.each(engines)("$name", ({ name, start }) => {
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
    bookTeam(books, { organisation, id, name: id, account }, "ada", shardOf);

  test("an account belongs to one organisation, whose teams may share it", async () => {
    expect(await bookOrganisation(books, { id: "acme", name: "again" }, "ada")).toBe("exists");
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
    const concurrentResults = await Promise.all([team("acme", "raced", "other"), team("evil", "raced", "other")]);
    expect(concurrentResults.toSorted()).toEqual(["created", "no-account"]);
    const [acme] = await readOrganisations(books, { account: "wallet" });
    expect(acme).toMatchObject({ id: "acme", name: "acme" });
    expect(acme?.teams.filter(({ account }) => account === "wallet").map(({ id }) => id)).toEqual(["ads", "search"]);
    expect(await readOrganisations(books, { id: "absent" })).toEqual([]);
  });

  test("an account is renamed, disabled and enabled, and is to be written to Redis after each change", async () => {
    await bookAccount(books, { id: "changing", name: "changing", createdAt }, "ada");
    const change = (fields: { name?: string; disabled?: boolean }) => changeAccount(books, "changing", fields, "ada");
    const unwritten = async () => {
      const changedAccount = (await readAccountsToWrite(books, 100)).find(({ id }) => id === "changing");
      await markAccountsWritten(books, ["changing"]);
      return changedAccount;
    };
    expect(await unwritten()).toMatchObject({ name: "changing", disabled: false, version: 0 });
    expect(await unwritten()).toBeUndefined();
    expect(await change({ name: "Acme" })).toEqual({ id: "changing", name: "Acme", disabled: false, version: 1 });
    expect(await change({ disabled: true })).toEqual({ id: "changing", name: "Acme", disabled: true, version: 2 });
    expect(await unwritten()).toMatchObject({ name: "Acme", disabled: true, version: 2 });
    expect(await findAccounts(books, ["changing"])).toMatchObject([{ name: "Acme", disabled: true, version: 2 }]);
    const concurrentResults = await Promise.all([change({ disabled: false }), change({ name: "Ajax" })]);
    expect(concurrentResults.map((state) => state?.version).toSorted()).toEqual([3, 4]);
    expect(await findAccounts(books, ["changing"])).toMatchObject([{ name: "Ajax", disabled: false, version: 4 }]);
    expect(await changeAccount(books, "absent", { disabled: true }, "ada")).toBeUndefined();
  });

  test("a person has one role per team, which can be changed and ended", async () => {
    const mia = { person: "mia", team: "" };
    const set = (of: string, role: "admin" | "member" | null) =>
      changeMembership(books, "acme", { ...mia, team: of, role }, "ada");
    const roles = async () => (await readOrganisations(books, { id: "acme" }))[0]?.memberships;
    expect(await set("search", "member")).toBe("changed");
    await set("", "admin");
    await set("search", "admin");
    expect(await roles()).toEqual([
      { person: "mia", team: "", role: "admin" },
      { person: "mia", team: "search", role: "admin" },
    ]);
    expect(await set("", null)).toBe("last-admin");
    expect(await changeMembership(books, "acme", { ...mia, role: null, mayEndLastAdmin: true }, "ada")).toBe("changed");
    expect(await roles()).toEqual([{ person: "mia", team: "search", role: "admin" }]);
  });

  test("nothing is stored for an organisation or a team that does not exist", async () => {
    await bookAccount(books, { id: "free", name: "free", createdAt }, "ada");
    expect(await team("absent", "search", "free")).toBe("no-organisation");
    expect(await team("acme", "search-2", "free")).toBe("created");
    const join = (organisation: string, of: string) =>
      changeMembership(books, organisation, { person: "zoe", team: of, role: "member" }, "ada");
    expect(await join("acme", "later")).toBe("no-team");
    expect(await join("evil", "search-2")).toBe("no-team");
    expect(await join("absent", "")).toBe("no-team");
    await team("acme", "later", "free");
    await bookOrganisation(books, { id: "absent", name: "absent" }, "ada");
    const all = await readOrganisations(books);
    expect(all.flatMap(({ memberships }) => memberships).filter(({ person }) => person === "zoe")).toEqual([]);
    expect(await join("acme", "later")).toBe("changed");
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
      const allOrganisations = [
        (await readCalls(books, { ...day, ...filter }, reading)).events.map(({ tokenId }) => tokenId),
        (await readCalls(books, { ...day, ...filter, labels }, reading)).events.map(({ tokenId }) => tokenId),
        (await readRefused(books, { ...day, ...filter }, { limit: 10 })).refusals.map(({ call }) => call.tokenId),
        (await readTotals(books, { ...day, ...filter, groupBy: ["token"] })).map(({ by }) => by.token ?? ""),
        (await readTotals(books, { ...day, ...filter, groupBy: ["token", "tag:app"] })).map(({ by }) => by.token ?? ""),
      ].map((tokens) => tokens.toSorted());
      expect(allOrganisations).toEqual(allOrganisations.map(() => allOrganisations[0]));
      const [byTag] = await readTotals(books, { ...day, ...filter, groupBy: ["tag:app"] });
      expect(byTag?.sums["calls"] ?? "0").toBe(String(allOrganisations[0]?.length));
      return allOrganisations[0];
    };
    expect(await tokensOf({ organisation: "acme" })).toEqual(["tok_ads", "tok_plain", "tok_search"]);
    expect(await tokensOf({ organisation: "acme", teams: ["search"] })).toEqual(["tok_search"]);
    expect(await tokensOf({ organisation: "acme", teams: ["ads", "search"] })).toEqual(["tok_ads", "tok_search"]);
    expect(await tokensOf({ organisation: "acme", teams: [] })).toEqual([]);
    expect(await tokensOf({ organisation: "acme", teams: [""] })).toEqual([]);
    expect(await tokensOf({ organisation: "evil", teams: ["search", "ads"] })).toEqual(["tok_rival"]);
    for (const groupBy of [["team"], ["team", "tag:app"]] as const) {
      const totals = await readTotals(books, { ...day, organisation: "acme", groupBy });
      expect(totals.map(({ by, sums }) => [by.team, sums["calls"]])).toEqual([
        ["", "1"],
        ["ads", "1"],
        ["search", "1"],
      ]);
    }
  });

  test("of two admins who remove each other at the same time, one stays", async () => {
    await bookOrganisation(books, { id: "duel", name: "duel" }, "ada");
    const set = (person: string, role: "admin" | null) =>
      changeMembership(books, "duel", { person, team: "", role }, "ada");
    for (const person of ["one", "two"]) await set(person, "admin");
    const results = await Promise.all([set("one", null), set("two", null)]);
    expect(results.toSorted()).toEqual(["changed", "last-admin"]);
    expect((await readOrganisations(books, { id: "duel" }))[0]?.memberships).toHaveLength(1);
  });

  test("an account leaves the organisation with its last team only if the caller may release it", async () => {
    for (const id of ["fresh", "later"]) await bookOrganisation(books, { id, name: id }, "ada");
    await bookAccount(books, { id: "moved", name: "moved", createdAt }, "ada");
    for (const id of ["one", "two", "three"]) await team("fresh", id, "moved");
    const remove = (of: string, mayReleaseAccount: boolean) =>
      deleteTeamOrOrganisation(books, { organisation: "fresh", team: of, mayReleaseAccount }, "ada");
    expect(await remove("one", true)).toBe("deleted");
    expect(await remove("two", false)).toBe("deleted");
    expect(await remove("three", false)).toBe("deleted");
    expect(await team("later", "first", "moved")).toBe("no-account");
    expect(await team("fresh", "four", "moved")).toBe("created");
    expect(await remove("four", true)).toBe("deleted-with-account");
    expect(await readOrganisations(books, { account: "moved" })).toEqual([]);
    expect(await team("later", "first", "moved")).toBe("created");
    const audit = await readAudit(books, { accounts: ["moved"], limit: 20 });
    expect(audit.find(({ action }) => action === "team.delete")).toMatchObject({
      before: { organisation: "fresh", team: "four", releasedAccount: "moved" },
    });
  });

  test("of the deletion of a team and a new key of it, one wins", async () => {
    await bookOrganisation(books, { id: "race", name: "race" }, "ada");
    await bookAccount(books, { id: "racing", name: "racing", createdAt }, "ada");
    for (let round = 0; round < 5; round++) {
      const of = `round-${round}`;
      await team("race", of, "racing");
      const [booked, removed] = await Promise.all([
        bookToken(books, { account: "racing", id: `tok_${of}`, digest: of, record: {}, team: of }, "ada"),
        deleteTeamOrOrganisation(books, { organisation: "race", team: of }, "ada"),
      ]);
      expect([booked === "no-team", removed], of).toEqual(removed === "keys" ? [false, "keys"] : [true, "deleted"]);
    }
  });

  test("a team is deleted while one of its playground's keys is changed", async () => {
    const [organisation, account] = ["busy", "busy-wallet"];
    await bookOrganisation(books, { id: organisation, name: organisation }, "ada");
    await bookAccount(books, { id: account, name: account, createdAt }, "ada");
    await team(organisation, "ops", account);
    for (const id of ["tok_busy_1", "tok_busy_2"]) {
      const record = { id, team: "ops", playgroundOf: id };
      await bookToken(books, { account, id, digest: id, record, team: "ops" }, "ada");
    }
    // Locks the second key, and writes to the audit when the deletion waits for this lock.
    const { deleted } = await books.db.transaction().execute(async (change) => {
      await change.updateTable("tokens").set({ digest: "new" }).where("token", "=", "tok_busy_2").execute();
      const deleted = deleteTeamOrOrganisation(books, { organisation, team: "ops" }, "ada");
      deleted.catch(() => undefined); // checked below
      if (name === "PostgreSQL") await until("the wait for the lock", () => isWaitingForLock(books));
      await writeAudit(change, { account, time: createdAt, actor: "ada", action: "token.set" });
      return { deleted };
    });
    expect(await deleted).toBe("deleted");
    const tokens = await readTokensOf(books, [account]);
    expect(tokens.filter(({ deletedAt }) => deletedAt === undefined)).toEqual([]);
  });

  test("the audit of a team is its account's, and that of an organisation has the organisation's name", async () => {
    await bookOrganisation(books, { id: "seen", name: "seen" }, "ada");
    await bookAccount(books, { id: "till", name: "till", createdAt }, "ada");
    await team("seen", "ops", "till");
    await renameTeamOrOrganisation(books, { organisation: "seen", team: "ops", name: "Operations" }, "ada");
    await renameTeamOrOrganisation(books, { organisation: "seen", team: "", name: "Seen Ltd." }, "ada");
    for (const team of ["ops", ""])
      await changeMembership(books, "seen", { person: "mia", team, role: "admin" }, "ada");
    const actionsOf = async (account: string) =>
      (await readAudit(books, { accounts: [account], limit: 10 })).map(({ action }) => action).toSorted();
    expect(await actionsOf("till")).toEqual(["account.create", "membership.set", "team.create", "team.set"]);
    expect(await actionsOf("organisation:seen")).toEqual(["membership.set", "organisation.create", "organisation.set"]);
  });

  test("a team and an organisation are renamed, and deleted once nothing belongs to them", async () => {
    await bookOrganisation(books, { id: "brief", name: "brief" }, "ada");
    await bookAccount(books, { id: "purse", name: "purse", createdAt }, "ada");
    await team("brief", "ops", "purse");
    const rename = (of: string, name: string) =>
      renameTeamOrOrganisation(books, { organisation: "brief", team: of, name }, "ada");
    expect([await rename("", "Brief Ltd."), await rename("ops", "Operations"), await rename("none", "x")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await readOrganisations(books, { id: "brief" })).toMatchObject([
      { name: "Brief Ltd.", teams: [{ id: "ops", name: "Operations" }] },
    ]);
    const remove = (of: string) => deleteTeamOrOrganisation(books, { organisation: "brief", team: of }, "ada");
    const join = (of: string, role: "admin" | "member" | null) =>
      changeMembership(books, "brief", { person: "mia", team: of, role, mayEndLastAdmin: true }, "ada");
    const budgets = (record: string) =>
      changeBookedBudgets(books, "purse", "ada", () => ({ record, action: "budget.create" }));
    expect(await remove("none")).toBe("absent");
    expect(await remove("")).toBe("teams");
    await join("ops", "member");
    expect(await remove("ops")).toBe("members");
    await join("ops", null);
    for (const scope of ["team:ops", "member:ops/mia"]) {
      await budgets(JSON.stringify([{ scope }]));
      expect(await remove("ops"), scope).toBe("budgets");
    }
    await budgets(JSON.stringify([{ scope: "team:ops-2" }]));
    expect(await remove("ops")).toBe("deleted");
    await team("brief", "keyed", "purse");
    await bookToken(books, { account: "purse", id: "tok_keyed", digest: "k", record: {}, team: "keyed" }, "ada");
    await deleteBookedToken(books, "tok_keyed", "ada");
    expect(await remove("keyed")).toBe("keys");
    await team("brief", "played", "purse");
    const played = { account: "purse", digest: "p", team: "played" };
    const playgroundKey = (id: string) =>
      bookToken(books, { ...played, id, record: { id, team: "played", playgroundOf: "mia" } }, "mia");
    expect(await playgroundKey("tok_played")).toMatchObject({ created: true });
    expect(await remove("played")).toBe("deleted");
    const tokens = await readTokensOf(books, ["purse"]);
    expect(tokens.find(({ id }) => id === "tok_played")).toMatchObject({ deletedAt: expect.any(String) });
    expect(await playgroundKey("tok_late")).toBe("no-team");
    // The usage of the deleted key is found by the id of the team, in each account of the organisation.
    await bookAccount(books, { id: "purse-2", name: "purse-2", createdAt }, "ada");
    for (const account of ["purse", "purse-2"]) expect(await team("brief", "played", account)).toBe("used");
    expect(await team("brief", "none", "purse-2")).toBe("created");
    expect(await remove("none")).toBe("deleted");
    await bookOrganisation(books, { id: "empty", name: "empty" }, "ada");
    await changeMembership(books, "empty", { person: "mia", team: "", role: "admin" }, "ada");
    const removeEmpty = () => deleteTeamOrOrganisation(books, { organisation: "empty", team: "" }, "ada");
    expect(await removeEmpty()).toBe("members");
    await changeMembership(books, "empty", { person: "mia", team: "", role: null, mayEndLastAdmin: true }, "ada");
    expect([await removeEmpty(), await removeEmpty()]).toEqual(["deleted", "absent"]);
    // The audit of the deleted organisation is found by its id.
    expect(await bookOrganisation(books, { id: "empty", name: "empty" }, "ada")).toBe("used");
    expect(await readOrganisations(books, { id: "empty" })).toEqual([]);
  });

  test("the budgets of an organisation are in the lists of its accounts, which share a shard", async () => {
    const accounts = ["shared", "shared~ads", "elsewhere"];
    for (const id of accounts) await bookAccount(books, { id, name: id, createdAt }, "ada");
    await bookOrganisation(books, { id: "sharing", name: "sharing" }, "ada");
    const put = (record: object[]) =>
      changeOrganisationBudgets(books, "sharing", "ada", () => ({
        record: JSON.stringify(record),
        action: "budget.create",
      }));
    const lists = async () =>
      Object.fromEntries((await readBudgetsOf(books, accounts)).map(({ account, record }) => [account, record]));
    const shared = { scope: "organisation:sharing", nanos: "5" };
    const own = { scope: "account", nanos: "1" };
    await changeBookedBudgets(books, "shared", "ada", () => ({
      record: JSON.stringify([own]),
      action: "budget.create",
    }));
    expect(await put([shared])).toEqual([]);
    expect(await lists()).toEqual({ shared: JSON.stringify([own]) });
    expect(await team("sharing", "search", "shared")).toBe("created");
    expect(await lists()).toEqual({ shared: JSON.stringify([shared, own]) });
    expect(await team("sharing", "lost", "elsewhere")).toBe("other-shard");
    expect(await team("sharing", "ads", "shared~ads")).toBe("created");
    const changed = { ...shared, nanos: "6" };
    expect(await put([changed])).toEqual(["shared", "shared~ads"]);
    expect(await lists()).toEqual({
      shared: JSON.stringify([changed, own]),
      "shared~ads": JSON.stringify([changed]),
    });
    const unwritten = (await readBudgetsToWrite(books, 100)).map(({ account }) => account);
    expect(unwritten.filter((account) => account.includes("shar")).toSorted()).toEqual(["shared", "shared~ads"]);
    const [entry] = await readAudit(books, { accounts: ["organisation:sharing"], limit: 1 });
    expect(entry).toMatchObject({ action: "budget.create", actor: "ada" });
    const remove = (of: string) =>
      deleteTeamOrOrganisation(books, { organisation: "sharing", team: of, mayReleaseAccount: of === "ads" }, "ada");
    expect(await remove("ads")).toBe("deleted-with-account");
    expect(await lists()).toEqual({ shared: JSON.stringify([changed, own]), "shared~ads": "[]" });
    // The account stays with the organisation when its admin deletes the last team.
    expect([await remove("search"), await remove("")]).toEqual(["deleted", "deleted"]);
    expect(await lists()).toEqual({ shared: JSON.stringify([own]), "shared~ads": "[]" });
    expect(await put([shared])).toBeUndefined();
    expect(await team("acme", "elsewhere", "elsewhere")).toBe("created");
  });

  test("an account joins an organisation with the budgets that it has then", async () => {
    for (const id of ["hasty", "hasty~ads"]) await bookAccount(books, { id, name: id, createdAt }, "ada");
    expect(await bookOrganisation(books, { id: "hasty", name: "hasty" }, "ada")).toBe("created");
    expect(await team("hasty", "search", "hasty")).toBe("created");
    for (let nanos = 0; nanos < 10; nanos++) {
      const record = JSON.stringify([{ scope: "organisation:hasty", nanos }]);
      const [joined] = await Promise.all([
        team("hasty", `ads-${nanos}`, "hasty~ads"),
        changeOrganisationBudgets(books, "hasty", "ada", () => ({ record, action: "budget.set" })),
      ]);
      expect(joined).toBe("created");
      const lists = await readBudgetsOf(books, ["hasty", "hasty~ads"]);
      expect(lists.map((list) => list.record)).toEqual([record, record]);
      await deleteTeamOrOrganisation(
        books,
        { organisation: "hasty", team: `ads-${nanos}`, mayReleaseAccount: true },
        "ada",
      );
    }
  });
});
