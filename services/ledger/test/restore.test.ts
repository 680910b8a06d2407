import { Redis } from "ioredis";
import { connect } from "nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createAccount,
  findAccount,
  findToken,
  hold,
  publishEntries,
  settle,
  type OutboxEntry,
} from "@modelgate/accounts";
import type { UsageEvent } from "@modelgate/contracts";
import { signOperator } from "@modelgate/contracts/operator-credential";
import { createLogger, openBus, type Bus } from "@modelgate/platform";
import {
  testUsageDraft,
  startLocalBackends,
  startServiceAlone,
  until,
  type AloneService,
  type Limits,
  type LocalBackends,
} from "@modelgate/testkit";
import { engines } from "./engines.ts";

const secret = "a secret of the tests, long enough";
let backends: LocalBackends;
let redis: Redis;
let bus: Bus;
let ledger: AloneService;
/** Database of the books. The tests in `e2e/test/crash/lost-redis.ts` use a SQLite file. */
let booksUrl: string;
const startLedger = (rounds: Limits = {}): Promise<AloneService> =>
  startServiceAlone(
    "ledger",
    {
      REDIS_URL: backends.redisUrl,
      NATS_URL: backends.natsUrl,
      BOOKS_URL: booksUrl,
      MODELGATE_SECRET: secret,
      LOG_LEVEL: "info",
    },
    { ledger: { rounds: { roundMs: 100, ...rounds } } },
  );
beforeAll(async () => {
  backends = await startLocalBackends();
  await using engine = await engines[1].start();
  booksUrl = (await engine.booksAddress()).url ?? "";
  redis = new Redis(backends.redisUrl);
  bus = await openBus(backends.natsUrl, createLogger("test", "silent").log);
  ledger = await startLedger({ afterOutageMs: 200, leftBehindMs: 200 });
});
afterAll(async () => {
  await ledger?.[Symbol.asyncDispose]();
  redis?.disconnect();
  await bus?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
});

async function ask<T>(path: string, body?: object): Promise<T> {
  const authorization = `Bearer ${signOperator(secret, Math.floor(Date.now() / 1_000) + 60)}`;
  const answer = await fetch(`${ledger.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization, connection: "close", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { data }: { readonly data: T } = JSON.parse(await answer.text());
  return data;
}

async function accountWith(id: string, balance: bigint): Promise<void> {
  await ask("/accounts", { id, name: id, balance: balance.toString() });
  await untilBooked(id, 1);
}

/** Returns the usage draft of a call. Its id includes the account, because JetStream identifies calls only by id. */
const draft = (accountId: string, callId: string) => ({
  ...testUsageDraft(accountId, `${accountId} ${callId}`),
  time: new Date().toISOString(),
  requestId: `request-${callId}`,
});

async function begin(accountId: string, callId: string, nanos = 10n) {
  const event = draft(accountId, callId);
  const reservation = { nanos, floorNanos: 1n, tokens: 0, leaseMs: 60_000, outboxBound: 1_000 };
  await hold(redis, { accountId, callId: event.id, draft: event, tokenId: "tok_1", ...reservation });
  return event;
}

const end = (event: ReturnType<typeof draft>, costNanos = 3n): Promise<OutboxEntry<UsageEvent> | undefined> =>
  settle(redis, {
    accountId: event.accountId,
    callId: event.id,
    costNanos,
    tokens: 0,
    draft: event,
  });

async function call(accountId: string, callId: string): Promise<void> {
  const entry = await end(await begin(accountId, callId));
  if (entry !== undefined) await publishEntries(redis, bus, [entry]);
}

interface Verification {
  readonly ok: boolean;
  readonly to: number;
  readonly balanceNanos: string;
  readonly restored: readonly { readonly calls: number; readonly nanos: string; readonly reason: string }[];
}

async function verified(account: string): Promise<Verification> {
  const { accounts } = await ask<{ accounts: Verification[] }>(`/ledger/verification?account=${account}`);
  return accounts[0] ?? expect.unreachable("there is no such account");
}

/** Waits until the account is valid and has this number of receipts. */
async function untilBooked(account: string, receipts: number): Promise<Verification> {
  return until(
    `${account} to have ${receipts} receipts`,
    async () => {
      const found = await verified(account).catch(() => undefined);
      return found?.ok === true && found.to === receipts && found;
    },
    60_000,
  );
}

const calls = async (account: string): Promise<readonly string[]> => {
  const { events } = await ask<{ events: UsageEvent[] }>(`/usage/events?account=${account}`);
  return events.map(({ id }) => id.slice(account.length + 1)).sort();
};

test("an empty Redis gets accounts, tokens, balances and receipts back, and calls continue", async () => {
  await accountWith("flushed", 1_000n);
  const digest = "a".repeat(64);
  const token = {
    id: "tok_a",
    accountId: "flushed",
    group: "g",
    name: "n",
    createdAt: "2026-01-01",
    hint: "sk-…",
    disabled: false,
  };
  await ask("/tokens", { digest, token });
  const [rotated, deleted] = ["b".repeat(64), "c".repeat(64)];
  await ask("/tokens/tok_a/rotate", { digest: rotated, hint: "sk-b", graceSeconds: 3_600 });
  await ask("/tokens", { digest: deleted, token: { ...token, id: "tok_c" } });
  await ask("/tokens/tok_c/delete", {});
  for (const id of ["one", "two"]) await call("flushed", id);
  const open = await begin("flushed", "open");
  await untilBooked("flushed", 3);

  await redis.flushall();
  await until("the account to be restored", async () => (await findAccount(redis, "flushed")) !== undefined);
  expect(await findAccount(redis, "flushed")).toMatchObject({
    balanceNanos: 994n,
    heldNanos: 0n,
    creditedNanos: 1_000n,
    spentNanos: 6n,
  });
  await until("the tokens to be returned", async () => (await findToken(redis, digest)) !== undefined);
  expect(await findToken(redis, rotated)).toMatchObject({ id: "tok_a", hint: "sk-b", previous: { hint: "sk-…" } });
  expect(await findToken(redis, digest)).toMatchObject({
    id: "tok_a",
    accountId: "flushed",
    replacedAt: expect.any(String),
  });
  expect(await findToken(redis, deleted)).toBeUndefined();

  // The settlement of the open call finds no reservation.
  expect(await end(open, 5n)).toBeUndefined();
  await call("flushed", "after");
  const found = await untilBooked("flushed", 5);
  expect(found).toMatchObject({ balanceNanos: "986" });
  expect(found.restored).toMatchObject([{ calls: 1, nanos: "-5", reason: expect.stringContaining("open") }]);
  // Its event arrives after its receipt, in a separate batch.
  await until("the open call to be in the books", async () => (await calls("flushed")).includes("open"));
  expect(await calls("flushed")).toEqual(["after", "one", "open", "two"]);
});

test("a call whose event arrives after the loss is charged to the restored account, once", async () => {
  await accountWith("late", 1_000n);
  await call("late", "before");
  await untilBooked("late", 2);
  // The ledger must not publish the event before the loss.
  ledger.signal("SIGSTOP");
  const entry = await end(await begin("late", "between"));
  await redis.flushall();
  ledger.signal("SIGCONT");
  await until("the account to be restored", async () => (await findAccount(redis, "late")) !== undefined);
  await call("late", "after"); // its receipt has the number of the lost receipt of "between"
  if (entry !== undefined) await publishEntries(redis, bus, [entry, entry]);
  const found = await untilBooked("late", 4);
  expect(found).toMatchObject({ balanceNanos: "991", restored: [{ calls: 1, nanos: "-3" }] });
  expect(await calls("late")).toEqual(["after", "before", "between"]);
});

test("a Redis with an older state is charged the calls of the books, once, and continues from there", async () => {
  await accountWith("behind", 1_000n);
  await call("behind", "kept");
  const open = await begin("behind", "open call");
  await untilBooked("behind", 2);
  const keysOf = async (): Promise<readonly string[]> => redis.keys("*");
  const copies = new Map<string, Buffer>();
  for (const key of await keysOf()) copies.set(key, (await redis.dumpBuffer(key)) ?? Buffer.alloc(0));
  const entry = await end(open, 4n);
  if (entry !== undefined) await publishEntries(redis, bus, [entry]);
  for (const id of ["lost one", "lost two"]) await call("behind", id);
  await ask("/credits", {
    accountId: "behind",
    operationId: "top-up",
    time: new Date().toISOString(),
    kind: "top-up",
    nanos: "100",
    reason: "r",
  });
  await untilBooked("behind", 6);

  // Restores the copies in one step, as a promoted replica.
  const back = redis.multi().flushall();
  for (const [key, copy] of copies) back.restore(key, 0, copy);
  await back.exec();
  await call("behind", "after");
  const found = await untilBooked("behind", 7);
  expect(found).toMatchObject({ balanceNanos: String(1_000 + 100 - 3 - 4 - 3 - 3 - 3) });
  expect(await findAccount(redis, "behind")).toMatchObject({ heldNanos: 0n, creditedNanos: 1_100n });
  expect(await calls("behind")).toEqual(["after", "kept", "lost one", "lost two", "open call"]);
});

/** Number of accounts to restore (MODELGATE_ACCOUNTS); 10,000 must take less than ten seconds. */
const accountCount = Number(process.env["MODELGATE_ACCOUNTS"] ?? 60);
const manyMs = 60_000 + 30 * accountCount;

test("accounts of a version that had them only in Redis are copied to the books, and can then be restored", async () => {
  // Accounts of an earlier version are copied at the next start.
  await Promise.all(
    Array.from({ length: accountCount }, (_, at) => createAccount(redis, { id: `many-${at}`, balance: 5n })),
  );
  await ledger[Symbol.asyncDispose]();
  ledger = await startLedger();
  await until("them to be copied", () => ledger.logs().includes("copied into the books"), manyMs);
  await redis.flushall();
  const isRestored = async (at: number) => (await findAccount(redis, `many-${at}`)) !== undefined;
  for (let at = 0; at < accountCount; at++) await until(`account ${at} to be restored`, () => isRestored(at), manyMs);
  expect(await findAccount(redis, "many-7")).toMatchObject({ balanceNanos: 5n });
}, 600_000);

test("unread events of deleted streams are recorded in the books", async () => {
  await accountWith("deleted", 1_000n);
  ledger.signal("SIGSTOP");
  for (const id of ["one", "two", "three"]) await call("deleted", id);
  const connection = await connect({ servers: backends.natsUrl });
  const { streams } = await connection.jetstreamManager();
  for (const name of ["USAGE", "TASKS", "CREDITS"]) await streams.delete(name);
  await connection.close();
  ledger.signal("SIGCONT");
  await until("the streams to exist", () => publishes());
  const found = await untilBooked("deleted", 4);
  expect(found).toMatchObject({ balanceNanos: "991" });
  expect(await calls("deleted")).toEqual(["one", "three", "two"]);
  await until("no event to be in transit", async () => (await redis.keys("sent:*")).length === 0, 60_000);
});

/** Returns whether an event can be published. The first attempt creates a missing stream. */
async function publishes(): Promise<boolean> {
  return bus.publish([{ subject: "credit.v1.top-up", body: "{}", id: `probe-${Date.now()}` }]).then(
    ([result]) => result === undefined,
    () => false,
  );
}
