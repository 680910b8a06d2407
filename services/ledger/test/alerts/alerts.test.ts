import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createAccount, periodAt, writeBudgetsToRedis, storeVerification, type Budget } from "@modelgate/accounts";
import { bookAlertTarget, bookToken, openBooks, readAlerts, recordCalls, type Books } from "@modelgate/books";
import { endModelCooldowns, startModelCooldown } from "@modelgate/channels";
import { alertKinds, alertTargetKinds, Failure, makeRefusedCall } from "@modelgate/contracts";
import { createLogger } from "@modelgate/platform";
import {
  startScriptedServer,
  type ScriptedServer,
  makeAuthority,
  startLocalBackends,
  testUsageDraft,
  until,
  type LocalBackends,
} from "@modelgate/testkit";
import { openAlertSender } from "../../src/alerts/send.ts";
import { startAlerts, type Alerts } from "../../src/alerts/start-alerts.ts";
import { startReceivers, targetOf, type Receivers } from "./receivers.ts";

const { log } = createLogger("test", "silent");
const secrets = ["a secret of the tests, long enough"] as const;
const dayMs = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), "modelgate-alerts-"));
const file = join(folder, "books.sqlite");
let backends: LocalBackends;
let redis: Redis;
let receivers: Receivers;
/** Server with a certificate that expires in ten days. */
let server: ScriptedServer;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = new Redis(backends.redisUrl);
  receivers = await startReceivers();
  const authority = await makeAuthority(folder, "authority");
  const { certificateFile, keyFile } = await authority.issue("server", new Date(Date.now() + 10 * dayMs));
  server = await startScriptedServer({}, { cert: readFileSync(certificateFile), key: readFileSync(keyFile) });
});
afterAll(async () => {
  vi.useRealTimers();
  redis?.disconnect();
  await server?.[Symbol.asyncDispose]();
  await receivers?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Ledger with its own connection to shared books. */
interface Ledger extends AsyncDisposable {
  readonly books: Books;
  readonly alerts: Alerts;
}

async function startLedger(): Promise<Ledger> {
  const books = await openBooks({ file }, log);
  const alerts = startAlerts({
    redis,
    connection: { useDuringMove: <T>(step: (to: Books) => Promise<T>): Promise<T> => step(books) },
    log,
    sender: openAlertSender({ secrets, timeoutMs: 10_000 }),
    everyMs: 50,
    deliverMs: 50,
    storeUrls: [server.url],
    lowHours: 24,
  });
  return {
    books,
    alerts,
    async [Symbol.asyncDispose]() {
      await alerts[Symbol.asyncDispose]();
      await books[Symbol.asyncDispose]();
    },
  };
}

test("two ledgers and a restarted one store each alert once, and targets of every kind receive all of them", async () => {
  const now = Date.now();
  // The hour is the period of some alerts, so it must not change.
  vi.useFakeTimers({ toFake: ["Date"], now });
  await using setUp = await openBooks({ file }, log);
  for (const kind of alertTargetKinds)
    await bookAlertTarget(setUp, targetOf(secrets, kind, receivers.secretOf(kind), { id: `trg_${kind}` }), "ada");

  await createAccount(redis, { id: "acme", balance: 1_000n });
  const budget: Budget = {
    id: "bud_1",
    scope: "account",
    period: "month",
    zone: "UTC",
    nanos: "100",
    mode: "hard",
    createdAt: new Date(now - 1_000).toISOString(),
  };
  const { number: period } = periodAt("month", "UTC", now);
  const other = { ...budget, id: "bud_2", nanos: "1000" };
  // Redis includes reserved money: bud_2 is at 90 % there, and at 8.5 % in the books.
  const states = new Map([
    ["bud_1", { period, spentNanos: 90n }],
    ["bud_2", { period, spentNanos: 900n }],
  ]);
  await writeBudgetsToRedis(redis, "acme", { version: 1, budgets: [budget, other] }, states);
  const call = {
    ...testUsageDraft("acme", "one"),
    time: new Date(now).toISOString(),
    costNanos: "85",
    model: "m",
    unpriced: ["inputTokens" as const],
  };
  await recordCalls(setUp, [call]);
  const bookKey = (id: string) =>
    bookToken(
      setUp,
      {
        account: "acme",
        id,
        digest: id.padEnd(64, "d"),
        record: {
          id,
          accountId: "acme",
          group: "default",
          name: "ci",
          disabled: false,
          createdAt: new Date(now - 1.5 * dayMs).toISOString(),
          hint: "sk-a…z",
          expiresAt: new Date(now + 5 * dayMs).toISOString(),
          rotateAfterDays: 1,
        },
      },
      "ada",
    );
  await bookKey("tok_1");
  await storeVerification(redis, { account: "acme", divergence: { message: "differs" } });
  const startCooldown = (model: string) =>
    startModelCooldown(redis, {
      channel: "main",
      model,
      since: Date.now() - 15_000,
      until: now + 3_600_000,
      reason: "it fails",
    });
  await startCooldown("m");
  const refused = {
    kind: "refused",
    reason: "refused: 401",
    since: new Date(now).toISOString(),
    consecutiveCooldowns: 1,
  };
  const ofAccount = { ...refused, until: now + 3_600_000, account: "acme" };
  await redis.hset("channels:health", "main/key-1\nacme", JSON.stringify(ofAccount));

  const refusal = new Failure("insufficient_quota", undefined, { budget: "bud_2" });
  const request = {
    id: "ref_1",
    requestId: "req_1",
    accountId: "acme",
    tokenId: "one",
    endpoint: "POST /v1/responses",
  };
  const note = async ({ books, alerts }: Ledger): Promise<void> => {
    await alerts.noteCalls(books, [call]);
    alerts.noteRefused([{ call: makeRefusedCall(request, refusal), calls: 1, budget: refusal.budget ?? "" }]);
    await alerts.noteLow(new Map([["acme", 915n]]));
  };
  const all = () => readAlerts(setUp, { limit: 100 });
  const kinds = [...alertKinds, "budget"].toSorted();
  {
    await using ledgers = new AsyncDisposableStack();
    for (const ledger of await Promise.all([startLedger(), startLedger()])) await note(ledgers.use(ledger));
    await until("the cooldown to be reported", async () => (await all()).some(({ subject }) => subject === "main#m"));
    await endModelCooldowns(redis, "main", ["m"]);
    await until("every alert to be delivered", async () => {
      const listed = await all();
      const isDelivered = listed.every(({ deliveries }) => deliveries.every(({ state }) => state === "delivered"));
      return isDelivered && kinds.every((kind) => listed.some((alert) => alert.kind === kind));
    });
  }
  const before = await all();
  expect(before.map(({ kind }) => kind).toSorted()).toEqual(kinds);
  const ofBudgets = before.filter(({ kind }) => kind === "budget");
  expect(ofBudgets.map(({ subject, details }) => [subject, details["level"], details["spentUsd"]]).toSorted()).toEqual([
    ["bud_1", "80", "0.000000085"],
    ["bud_2", "refused", "0.000000085"],
  ]);
  expect(before.find(({ kind }) => kind === "channel-cooldown")).toMatchObject({ subject: "main#m" });
  expect(before.find(({ kind }) => kind === "certificate-expiring")).toMatchObject({
    subject: new URL(server.url).host,
    severity: "warning",
  });

  // A restarted ledger reports only what is new.
  await startCooldown("m");
  await bookKey("tok_2");
  {
    await using restarted = await startLedger();
    await note(restarted);
    await startCooldown("n");
    await storeVerification(redis, { account: "late", divergence: { message: "differs" } });
    await until("the new conditions to be delivered", async () => {
      const listed = await all();
      const isDelivered = listed.every(({ deliveries }) => deliveries.every(({ state }) => state === "delivered"));
      return isDelivered && listed.length >= before.length + 4;
    });
  }
  const added = (await all()).filter(({ id }) => !before.some((alert) => alert.id === id));
  expect(added.map(({ kind, subject }) => `${kind} ${subject}`).toSorted()).toEqual([
    "channel-cooldown main#n",
    "key-expiring tok_2",
    "key-rotation-due tok_2",
    "ledger-divergence late",
  ]);
  for (const kind of alertTargetKinds)
    expect(await receivers.received(kind)).toHaveLength(before.length + added.length);
  const received = (await receivers.received("webhook")).map((body) =>
    String(Reflect.get(Object(JSON.parse(body)), "kind")),
  );
  expect(received.slice(0, kinds.length).toSorted()).toEqual(kinds);
});
