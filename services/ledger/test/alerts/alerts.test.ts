import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount, periodAt, projectBudgets, storeVerification, type Budget } from "@modelgate/accounts";
import { bookAlertTarget, bookToken, openBooks, readAlerts, recordCalls, type Books } from "@modelgate/books";
import { endModelCooldowns, startModelCooldown } from "@modelgate/channels";
import { alertTargetPurpose, Failure, refusedCall } from "@modelgate/contracts";
import { createLogger, makeCipher } from "@modelgate/platform";
import {
  startLocalBackends,
  startScriptedServer,
  testUsageDraft,
  until,
  type LocalBackends,
  type ScriptedServer,
} from "@modelgate/testkit";
import { openAlertSender } from "../../src/alerts/send.ts";
import { startAlerts, type Alerts } from "../../src/alerts/start-alerts.ts";

const { log } = createLogger("test", "silent");
const secrets = ["a secret of the tests, long enough"] as const;
const folder = mkdtempSync(join(tmpdir(), "modelgate-alerts-"));
const file = join(folder, "books.sqlite");
let backends: LocalBackends;
let redis: Redis;
let server: ScriptedServer;
const ledgers: { readonly books: Books; readonly alerts: Alerts }[] = [];
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = new Redis(backends.redisUrl);
  server = await startScriptedServer(() => ({}));
});
afterAll(async () => {
  await Promise.all(ledgers.map(({ alerts }) => alerts[Symbol.asyncDispose]()));
  await Promise.all(ledgers.map(({ books }) => books[Symbol.asyncDispose]()));
  redis?.disconnect();
  await server?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the alerts of a ledger that shares the books and Redis with the other ledgers. */
async function startLedger(): Promise<(typeof ledgers)[number]> {
  const books = await openBooks({ file }, log);
  const sender = openAlertSender({ secrets, timeoutMs: 10_000 });
  const connection = { useDuringMove: <T>(step: (to: Books) => Promise<T>): Promise<T> => step(books) };
  const alerts = startAlerts({
    redis,
    connection,
    log,
    sender,
    everyMs: 50,
    deliverMs: 50,
    storeUrls: [],
    lowHours: 24,
  });
  const started = { books, alerts };
  ledgers.push(started);
  return started;
}

test("two ledgers store each alert once, and the target receives every kind", async () => {
  const now = Date.now();
  await using setUp = await openBooks({ file }, log);
  const id = "trg_1";
  const sealed = makeCipher(secrets, alertTargetPurpose).encrypt(
    JSON.stringify({ url: `${server.url}/hook`, secret: "whsec" }),
    id,
  );
  const createdAt = new Date(now).toISOString();
  const target = { id, account: "", kind: "webhook", name: "ops", address: "127.0.0.1", createdAt } as const;
  await bookAlertTarget(setUp, { target, sealed }, "ada");

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
  // Redis also counts reserved money: bud_2 is at 90 % there, and at 8.5 % in the books.
  const states = new Map([
    ["bud_1", { period, spentNanos: 90n }],
    ["bud_2", { period, spentNanos: 900n }],
  ]);
  await projectBudgets(redis, "acme", { version: 1, budgets: [budget, other] }, states);
  const call = {
    ...testUsageDraft("acme", "one"),
    time: createdAt,
    costNanos: "85",
    model: "m",
    unpriced: ["inputTokens" as const],
  };
  await recordCalls(setUp, [call]);
  const record = {
    id: "tok_1",
    accountId: "acme",
    group: "default",
    name: "ci",
    disabled: false,
    createdAt: new Date(now - 1.5 * 86_400_000).toISOString(),
    hint: "sk-a…z",
    expiresAt: new Date(now + 5 * 86_400_000).toISOString(),
    rotateAfterDays: 1,
  };
  await bookToken(setUp, { account: "acme", id: "tok_1", digest: "d".repeat(64), record }, "ada");
  await storeVerification(redis, { account: "acme", divergence: { message: "differs" } });
  await startModelCooldown(redis, {
    channel: "main",
    model: "m",
    since: now,
    until: now + 3_600_000,
    reason: "it fails",
  });
  const refused = { kind: "refused", reason: "refused: 401", since: new Date(now).toISOString(), rests: 1 };
  const ofAccount = { ...refused, until: now + 3_600_000, account: "acme" };
  await redis.hset("channels:health", "main/key-1\nacme", JSON.stringify(ofAccount));

  const started = await Promise.all([startLedger(), startLedger()]);
  const refusal = new Failure("insufficient_quota", undefined, { budget: "bud_2" });
  const request = {
    id: "ref_1",
    requestId: "req_1",
    accountId: "acme",
    tokenId: "one",
    endpoint: "POST /v1/responses",
  };
  for (const { books, alerts } of started) {
    await alerts.noteCalls(books, [call]);
    alerts.noteRefused([{ call: refusedCall(request, refusal), calls: 1, budget: refusal.budget ?? "" }]);
    await alerts.noteLow(new Map([["acme", 915n]]));
  }
  const received = (): readonly string[] =>
    server.requests.map(({ body }) => String(Reflect.get(Object(JSON.parse(body)), "kind")));
  await until("the cooldown to be reported", () => received().includes("channel-resting"));
  await endModelCooldowns(redis, "main", ["m"]);
  const kinds = [
    "balance-low",
    "budget",
    "budget",
    "channel-recovered",
    "channel-resting",
    "key-expiring",
    "key-refused",
    "key-rotation-due",
    "ledger-divergence",
    "unpriced-use",
  ];
  await until(
    "every alert to arrive",
    () => kinds.every((kind) => received().includes(kind)) && received().length >= kinds.length,
  );
  const listed = await readAlerts(setUp, { limit: 100 });
  expect(listed.map(({ kind }) => kind).toSorted()).toEqual(kinds);
  const ofBudgets = listed.filter(({ kind }) => kind === "budget");
  expect(ofBudgets.map(({ subject, details }) => [subject, details["level"], details["spentUsd"]]).toSorted()).toEqual([
    ["bud_1", "80", "0.000000085"],
    ["bud_2", "refused", "0.000000085"],
  ]);
  expect(listed.find(({ kind }) => kind === "channel-resting")).toMatchObject({ subject: "main#m" });
  await until("the deliveries to be stored", async () =>
    (await readAlerts(setUp, { limit: 100 })).every(({ deliveries }) => deliveries[0]?.state === "delivered"),
  );
});
