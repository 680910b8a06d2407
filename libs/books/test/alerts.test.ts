import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AlertTarget } from "@modelgate/contracts";
import {
  bookAccount,
  bookAlertTarget,
  bookOrganisation,
  bookTeam,
  claimDeliveries,
  deleteAlertTarget,
  deleteOldAlerts,
  endAlert,
  findAlertTarget,
  finishDelivery,
  nextDeliveryDue,
  readAlerts,
  readAlertTargets,
  readAudit,
  readOpenAlerts,
  recordAlerts,
  retryDeliveries,
  type Books,
  type NewAlert,
} from "../src/index.ts";
import { engines, newBooks, type TestEngine } from "./engines.ts";

const hourMs = 3_600_000;

function alertOf(subject: string, more: Partial<NewAlert> = {}): NewAlert {
  return {
    kind: "budget",
    account: "acme",
    subject,
    period: "month/1/80",
    severity: "warning",
    summary: "80 % are spent",
    details: { spent: "8" },
    ...more,
  };
}

/** Adds an account to an organisation, with a team of the same name. */
async function join(books: Books, organisation: string, account: string): Promise<void> {
  await bookAccount(books, { id: account, name: account, createdAt: new Date().toISOString() }, "ada");
  await bookTeam(books, { organisation, id: account, name: account, account }, "ada", () => "one shard");
}

function targetNamed(id: string, more: Partial<AlertTarget> = {}): AlertTarget {
  const createdAt = new Date().toISOString();
  return { id, account: "", kind: "webhook", name: id, address: "example.com", createdAt, ...more };
}

describe.each(engines)("alerts in $name", ({ start }) => {
  let engine: TestEngine;
  let books: Books;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(async () => {
    await books?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await books?.[Symbol.asyncDispose]();
    books = await newBooks(engine);
  });

  const add = (target: AlertTarget) => bookAlertTarget(books, { target, sealed: `sealed ${target.id}` }, "ada");
  const all = () => readAlerts(books, { limit: 100 });

  test("an alert happens once, even if two ledgers record it at the same time", async () => {
    await add(targetNamed("trg_all"));
    const other = { ...books };
    const both = [alertOf("one"), alertOf("two")];
    const recorded = await Promise.all([
      recordAlerts(books, both),
      recordAlerts(other, both.toReversed()),
      recordAlerts(books, both),
    ]);
    expect(
      recorded
        .flat()
        .map(({ subject }) => subject)
        .toSorted(),
    ).toEqual(["one", "two"]);
    const listed = await all();
    expect(listed).toHaveLength(2);
    expect(listed.map(({ deliveries }) => deliveries.length)).toEqual([1, 1]);
    // The same condition in another period is another alert.
    expect(await recordAlerts(books, [alertOf("one", { period: "month/2/80" })])).toHaveLength(1);
  });

  test("of a condition that lasts, one alert is open, and its end is recorded once", async () => {
    const other = { ...books };
    const cooldown = (period: string) =>
      alertOf("main", { kind: "channel-cooldown", account: "", period, isLasting: true });
    await Promise.all([recordAlerts(books, [cooldown("h1")]), recordAlerts(other, [cooldown("h2")])]);
    const [open, ...more] = await readOpenAlerts(books, ["channel-cooldown"]);
    expect(more).toEqual([]);
    if (open === undefined) throw new Error("no alert is open");
    const ended = alertOf("main", { kind: "channel-recovered", account: "", period: open.period });
    const ends = await Promise.all([endAlert(books, open.id, ended), endAlert(other, open.id, ended)]);
    expect(ends.flat()).toHaveLength(1);
    expect(await readOpenAlerts(books, ["channel-cooldown"])).toEqual([]);
    expect((await all()).map(({ kind }) => kind).toSorted()).toEqual(["channel-cooldown", "channel-recovered"]);
    expect(await recordAlerts(books, [cooldown(open.period)])).toEqual([]);
    expect(await recordAlerts(books, [cooldown("h3")])).toHaveLength(1);
  });

  test("a target receives the alerts of its account and kinds", async () => {
    await add(targetNamed("trg_all"));
    await add(targetNamed("trg_acme", { account: "acme" }));
    await add(targetNamed("trg_other", { account: "other" }));
    await add(targetNamed("trg_low", { alerts: ["balance-low"] }));
    await recordAlerts(books, [alertOf("one")]);
    await recordAlerts(books, [alertOf("low", { kind: "balance-low", account: "" })]);
    const targetsOf = Object.fromEntries(
      (await all()).map(({ subject, deliveries }) => [subject, deliveries.map(({ target }) => target).toSorted()]),
    );
    expect(targetsOf).toEqual({ one: ["trg_acme", "trg_all"], low: ["trg_all", "trg_low"] });
    const seenByMember = await readAlerts(books, { accounts: ["acme"], targetsOf: ["acme"], limit: 100 });
    expect(seenByMember.map(({ subject, deliveries }) => [subject, deliveries.map(({ name }) => name)])).toEqual([
      ["one", ["trg_acme"]],
    ]);
  });

  test("the targets of all accounts of an organisation receive its alerts, except those of members", async () => {
    await bookOrganisation(books, { id: "acme", name: "acme" }, "ada");
    for (const account of ["wallet", "purse"]) await join(books, "acme", account);
    for (const account of ["", "wallet", "purse", "other"]) await add(targetNamed(`trg_${account}`, { account }));
    await add(targetNamed("trg_member", { account: "wallet", addedByMember: true }));
    await recordAlerts(books, [alertOf("shared", { account: "organisation:acme" })]);
    const [shared] = await all();
    expect(shared?.deliveries.map(({ target }) => target).toSorted()).toEqual(["trg_", "trg_purse", "trg_wallet"]);
    await recordAlerts(books, [alertOf("alone", { account: "wallet" })]);
    const alone = (await all()).find(({ subject }) => subject === "alone");
    expect(alone?.deliveries.map(({ target }) => target).toSorted()).toEqual(["trg_", "trg_member", "trg_wallet"]);
  });

  test("of several ledgers one claims a delivery, and again after the pause unless it was delivered", async () => {
    await add(targetNamed("trg_all"));
    const other = { ...books };
    await recordAlerts(books, [alertOf("one")]);
    const now = Date.now();
    expect(await nextDeliveryDue(books)).toBeLessThanOrEqual(now);
    const claim = async (from: Books, nowMs: number) => claimDeliveries(from, { nowMs, max: 10 });
    const [claimed, ...more] = (await Promise.all([claim(books, now), claim(other, now), claim(books, now)])).flat();
    expect(more).toEqual([]);
    expect(claimed).toMatchObject({ alert: { subject: "one" }, sealed: "sealed trg_all", isLast: false });
    if (claimed === undefined) throw new Error("nothing was claimed");
    await finishDelivery(books, claimed, "x".repeat(1_000));
    expect(await claim(books, now)).toEqual([]);
    const [again] = await claim(other, now + 30_000);
    if (again === undefined) throw new Error("nothing was claimed again");
    const [failing] = await all();
    expect(failing?.deliveries).toMatchObject([{ state: "pending", tries: 2 }]);
    expect(failing?.deliveries[0]?.error.length).toBeLessThan(1_000);
    await finishDelivery(other, again, undefined);
    expect(await claim(books, now + 24 * hourMs)).toEqual([]);
    expect((await all())[0]?.deliveries).toMatchObject([{ state: "delivered", error: "", nextAt: null }]);
  });

  test("a target with many due deliveries leaves places for others", async () => {
    await add(targetNamed("trg_busy", { alerts: ["budget"] }));
    await recordAlerts(
      books,
      Array.from({ length: 30 }, (_, at) => alertOf(`one ${at}`)),
    );
    await add(targetNamed("trg_other", { alerts: ["balance-low"] }));
    await recordAlerts(books, [alertOf("low", { kind: "balance-low" })]);
    const claimed = await claimDeliveries(books, { nowMs: Date.now() + 1_000, max: 20 });
    expect(claimed.map(({ target }) => target.id).toSorted()).toEqual([...Array(5).fill("trg_busy"), "trg_other"]);
  });

  test("an alert with U+0000 in its text is stored with the others", async () => {
    await recordAlerts(books, [alertOf("one", { summary: "the key a\0b" }), alertOf("two")]);
    expect((await all()).map(({ summary }) => summary).toSorted()).toEqual(["80 % are spent", "the key a\uFFFDb"]);
  });

  test("a delivery that fails for a day is dead until it is retried", async () => {
    await add(targetNamed("trg_all"));
    await add(targetNamed("trg_acme", { account: "acme" }));
    await recordAlerts(books, [alertOf("one")]);
    const start = Date.now();
    let attempts = 0;
    for (;;) {
      const nowMs = await nextDeliveryDue(books);
      if (nowMs === undefined) break;
      expect(nowMs - start).toBeLessThanOrEqual(24 * hourMs);
      for (const claimed of await claimDeliveries(books, { nowMs: Math.max(nowMs, start), max: 10 })) {
        attempts++;
        await finishDelivery(books, claimed, "it answered with status 500");
      }
    }
    expect(attempts).toBeGreaterThan(2 * 20);
    expect(attempts).toBeLessThan(2 * 40);
    const [dead] = await readAlerts(books, { isDead: true, limit: 10 });
    expect(dead?.deliveries.map(({ state, error }) => [state, error])).toEqual([
      ["dead", "it answered with status 500"],
      ["dead", "it answered with status 500"],
    ]);
    const id = dead?.id ?? "";
    expect(await readAlerts(books, { isDead: true, targetsOf: ["other"], limit: 10 })).toEqual([]);
    expect(await retryDeliveries(books, { alert: id, targetsOf: ["acme"], nowMs: start })).toBe(1);
    expect(await retryDeliveries(books, { alert: id, targetsOf: ["acme"], nowMs: start })).toBe(0);
    const claimed = await claimDeliveries(books, { nowMs: start, max: 10 });
    expect(claimed.map(({ target, isLast }) => [target.id, isLast])).toEqual([["trg_acme", false]]);
  });

  test("targets are listed without their secrets, and deleted with their deliveries", async () => {
    await add(targetNamed("trg_all"));
    await add(targetNamed("trg_acme", { account: "acme" }));
    await recordAlerts(books, [alertOf("one")]);
    expect((await readAlertTargets(books)).map(({ id }) => id).toSorted()).toEqual(["trg_acme", "trg_all"]);
    expect((await readAlertTargets(books, ["acme"])).map(({ id }) => id)).toEqual(["trg_acme"]);
    expect(await findAlertTarget(books, "trg_all")).toMatchObject({ sealed: "sealed trg_all" });
    expect(await deleteAlertTarget(books, "trg_all", "ada")).toBe(true);
    expect(await deleteAlertTarget(books, "trg_all", "ada")).toBe(false);
    expect((await all())[0]?.deliveries.map(({ target }) => target)).toEqual(["trg_acme"]);
    const audit = await readAudit(books, { limit: 10 });
    expect(audit.map(({ action }) => action).toSorted()).toEqual([
      "alert-target.create",
      "alert-target.create",
      "alert-target.delete",
    ]);
    expect(JSON.stringify(audit)).not.toContain("sealed");
  });

  test("alerts are read page by page, and old ones deleted unless they would happen again", async () => {
    await recordAlerts(books, [alertOf("one"), alertOf("two"), alertOf("three", { period: "total/1/80" })]);
    await recordAlerts(books, [alertOf("main", { kind: "key-refused", isLasting: true })]);
    const [first, second, ...rest] = await all();
    expect(rest).toHaveLength(2);
    const next = await readAlerts(books, { limit: 2, before: second?.id });
    expect(next.map(({ id }) => id)).toEqual(rest.map(({ id }) => id));
    expect(await readAlerts(books, { limit: 1 })).toMatchObject([{ id: first?.id }]);
    expect(await readAlerts(books, { limit: 9, kind: "key-refused" })).toMatchObject([{ subject: "main" }]);
    await deleteOldAlerts(books, Date.now() + 1);
    expect((await all()).map(({ subject }) => subject).toSorted()).toEqual(["main", "three"]);
  });

  test("a target and an alert with the former kind, which an earlier ledger stored, are read and deleted", async () => {
    await add(targetNamed("trg_other", { alerts: ["budget"] }));
    const stored = { ...targetNamed("trg_other"), alerts: ["budget", "channel-resting", "kind-of-a-newer-version"] };
    await sql`update alert_targets set record = ${JSON.stringify(stored)}`.execute(books.db);
    await recordAlerts(books, [alertOf("main", { kind: "channel-cooldown", isLasting: true })]);
    expect(await readAlertTargets(books)).toEqual([{ ...stored, alerts: ["budget", "channel-cooldown"] }]);
    expect(await all()).toMatchObject([{ deliveries: [{ target: "trg_other" }] }]);
    await sql`update alerts set kind = 'channel-resting'`.execute(books.db);
    await deleteOldAlerts(books, Date.now() + 1);
    expect(await all()).toEqual([]);
  });
});
