import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { bookAlertTarget, nextDeliveryDue, readAlerts, recordAlerts, type Books } from "@modelgate/books";
import { alertTargetKinds, type AlertTargetKind } from "@modelgate/contracts";
import { createLogger } from "@modelgate/platform";
import { deliverAlerts } from "../../src/alerts/deliver.ts";
import { openAlertSender } from "../../src/alerts/send.ts";
import { alertRoutes } from "../../src/api/alerts.ts";
import type { BooksConnection } from "../../src/books-connection.ts";
import { startReceivers, targetOf, type Receivers } from "./receivers.ts";
import { newBooks } from "../engines.ts";

const { log } = createLogger("test", "silent");
const secrets = ["a secret of the tests, long enough"] as const;
const { signal } = new AbortController();
const sender = openAlertSender({ secrets, timeoutMs: 10_000 });
let receivers: Receivers;
beforeAll(async () => {
  receivers = await startReceivers();
});
afterAll(async () => {
  await receivers?.[Symbol.asyncDispose]();
});

/** Error of each overloaded receiver. */
const overloaded: Readonly<Record<AlertTargetKind, string>> = {
  webhook: 'it answered with status 503: {"error":{"message":"overloaded"}}',
  slack: "it answered with status 503: overloaded",
  teams: 'it answered with status 503: {"error":{"code":"RequestRefused","message":"overloaded"}}',
  feishu: 'it answered with status 503: {"code":503,"msg":"overloaded","data":{}}',
  pagerduty: 'it answered with status 503: {"status":"throttle exceeded","message":"overloaded","errors":[]}',
  email: "it cannot be reached (451)",
};

/** Kinds whose repeated deliveries are tested: one over HTTP, and mail. The repetition is the same for all kinds. */
const repeatedKinds: readonly AlertTargetKind[] = ["webhook", "email"];

describe.each(alertTargetKinds)("deliveries to a target of the kind %s", (kind) => {
  let books: Books;
  let connection: BooksConnection;
  beforeEach(async () => {
    await receivers.forget();
    books = await newBooks({ kind: "sqlite" });
    const use: BooksConnection["use"] = (step) => step(books);
    connection = {
      use,
      useDuringMove: use,
      setMoving: () => undefined,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    await bookAlertTarget(books, targetOf(secrets, kind, receivers.secretOf(kind)), "ada");
    await recordAlerts(books, [
      {
        kind: "balance-low",
        account: "acme",
        subject: "acme",
        period: "2026-11-26",
        severity: "warning",
        summary: "The balance is low.",
        details: {},
      },
    ]);
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await receivers.fail(kind, false);
    await books[Symbol.asyncDispose]();
  });

  const deliver = () => deliverAlerts({ connection, sender, log }, signal);
  const listed = async () => (await readAlerts(books, { limit: 9 })).flatMap(({ deliveries }) => deliveries);
  const call = async (route: string, id: string, query = "") =>
    alertRoutes({ connection, sender })[route]?.({
      operator: { name: "ada", role: "admin" },
      headers: {},
      address: "",
      params: { id },
      query: new URLSearchParams(query),
      body: {},
      actor: "ada",
    });

  test.each(repeatedKinds.filter((each) => each === kind))(
    "are repeated until the target accepts the alert",
    async () => {
      await receivers.fail(kind, true);
      await deliver();
      expect(await listed()).toMatchObject([{ state: "pending", tries: 1, error: overloaded[kind] }]);
      await deliver(); // not due yet
      expect(await listed()).toMatchObject([{ tries: 1 }]);
      await receivers.fail(kind, false);
      vi.setSystemTime((await nextDeliveryDue(books)) ?? 0);
      await deliver();
      expect(await listed()).toMatchObject([{ state: "delivered", tries: 2, error: "", nextAt: null }]);
      vi.setSystemTime(Date.now() + 86_400_000);
      await deliver();
      expect(await listed()).toMatchObject([{ tries: 2 }]);
    },
  );

  test.each(kind === "webhook" ? [kind] : [])(
    "are dead letters after a day, with the target's error, until they are tried again",
    async () => {
      await receivers.fail(kind, true);
      for (let due: number | undefined = Date.now(); due !== undefined; due = await nextDeliveryDue(books)) {
        vi.setSystemTime(Math.max(due, Date.now()));
        await deliver();
      }
      const dead = await call("GET /alerts", "", "state=dead");
      expect(dead).toMatchObject([{ deliveries: [{ state: "dead", nextAt: null, error: overloaded[kind] }] }]);
      vi.useRealTimers();
      await receivers.fail(kind, false);
      await receivers.forget();
      const [alert] = await readAlerts(books, { limit: 9 });
      expect(await call("POST /alerts/{id}/retry", alert?.id ?? "")).toEqual({ retried: 1 });
      await deliver();
      expect(await listed()).toMatchObject([{ state: "delivered", tries: 1, error: "" }]);
      expect(await receivers.received(kind)).toHaveLength(1);
      expect(await call("GET /alerts", "", "state=dead")).toEqual([]);
    },
  );

  test("by the test button tell what the target answers, and are not stored", async () => {
    const route = "POST /alert-targets/{id}/test";
    expect(await call(route, "trg_1")).toEqual({ delivered: true, error: "" });
    expect((await receivers.received(kind))[0]).toContain("test");
    await receivers.fail(kind, true);
    expect(await call(route, "trg_1")).toEqual({ delivered: false, error: overloaded[kind] });
    expect(await readAlerts(books, { limit: 9 })).toHaveLength(1);
  });
});
