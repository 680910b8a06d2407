import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { Redis } from "ioredis";
import { connect, type JetStreamManager, type NatsConnection } from "nats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountKeys, createAccount, hold, settle } from "@modelgate/accounts";
import {
  type AloneService,
  testUsageDraft,
  type LocalBackends,
  startLocalBackends,
  startServiceAlone,
  until,
} from "@modelgate/testkit";
import { isDue } from "../src/watch/verify-accounts.ts";

describe("an account's offset in a period of verification", () => {
  test("is reached once in a period, for any times of the checks", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1_000, max: 100_000 }),
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 50 }),
        (id, everyMs, pauses) => {
          let [since, due] = [1_700_000_000_000, 0];
          const end = since + everyMs;
          for (let at = 0; since < end; at++) {
            const now = Math.min(end, since + (pauses[at % pauses.length] ?? 1));
            if (isDue(id, since, now, everyMs)) due++;
            since = now;
          }
          expect(due).toBe(1);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("is different for most accounts", () => {
    const due = Array.from({ length: 1_000 }, (_, at) => isDue(`account-${at}`, 0, 8_640, 86_400)).filter(Boolean);
    expect(due.length).toBeGreaterThan(50);
    expect(due.length).toBeLessThan(200);
  });
});

/** Maximum wait for a metric, in ms. */
const withinMs = 60_000;

describe("the ledger monitors", { timeout: 4 * withinMs }, () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-watch-"));
  let backends: LocalBackends;
  let redis: Redis;
  let nats: NatsConnection;
  let streams: JetStreamManager["streams"];
  let ledger: AloneService;
  beforeAll(async () => {
    backends = await startLocalBackends();
    redis = new Redis(backends.redisUrl);
    nats = await connect({ servers: backends.natsUrl });
    ({ streams } = await nats.jetstreamManager());
    ledger = await startServiceAlone(
      "ledger",
      {
        REDIS_URL: backends.redisUrl,
        NATS_URL: backends.natsUrl,
        MODELGATE_SECRET: "a secret of some length",
        MODELGATE_DATA: folder,
        VERIFY_EVERY_MS: "500",
      },
      { ledger: { watch: { everyMs: 100 }, rounds: { roundMs: 50, leftBehindMs: 50 } } },
    );
  });
  afterAll(async () => {
    await ledger?.[Symbol.asyncDispose]();
    redis?.disconnect();
    await nats?.close();
    await backends?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Returns the value of a metric; undefined if it has none with this label. */
  async function metric(name: string, label?: readonly [string, string]): Promise<number | undefined> {
    const lines = (await (await fetch(`${ledger.opsUrl}/metrics`)).text()).split("\n");
    const line = lines.find(
      (each) => each.startsWith(`${name}{`) && (label === undefined || each.includes(`${label[0]}="${label[1]}"`)),
    );
    return line === undefined ? undefined : Number(line.split(" ").at(-1));
  }

  async function spend(accountId: string, nanos: bigint): Promise<void> {
    const callId = `${accountId}-call`;
    const draft = { ...testUsageDraft(accountId, callId), time: new Date().toISOString(), units: { inputTokens: 3 } };
    const reservation = { nanos, floorNanos: 0n, tokens: 0, leaseMs: 600_000, outboxBound: 1_000 };
    await hold(redis, { accountId, callId, draft, tokenId: "tok_1", ...reservation });
    await settle(redis, { accountId, callId, costNanos: nanos, tokens: 0, draft });
  }

  test("Redis' memory and its maximum", async () => {
    await redis.config("SET", "maxmemory", "100mb");
    await until(
      "the limit to be applied",
      async () => (await metric("modelgate_redis_memory_limit_bytes")) === 104_857_600,
      withinMs,
    );
    const used = await metric("modelgate_redis_memory_bytes");
    expect(used).toBeGreaterThan(500_000);
    expect(used).toBeLessThan(104_857_600);
  });

  test("events that are not in the books yet, and for how long", async () => {
    const stream = ["stream", "CREDITS"] as const;
    await until("no lag", async () => (await metric("modelgate_ledger_lag_events", stream)) === 0, withinMs);
    expect(await metric("modelgate_ledger_lag_seconds", stream)).toBe(0);
    const locker = new DatabaseSync(join(folder, "books.sqlite"), { timeout: 10_000 });
    locker.exec("begin immediate");
    await createAccount(redis, { id: "waits", balance: 1n });
    await until("the event to wait", async () => (await metric("modelgate_ledger_lag_events", stream)) === 1, withinMs);
    await until(
      "its age to increase",
      async () => ((await metric("modelgate_ledger_lag_seconds", stream)) ?? 0) > 0,
      withinMs,
    );
    locker.close();
    await until("it to be recorded", async () => (await metric("modelgate_ledger_lag_events", stream)) === 0, withinMs);
  });

  test("a missing event stream", async () => {
    const stream = ["stream", "TASKS"] as const;
    await until(
      "the stream to be reported",
      async () => (await metric("modelgate_stream_present", stream)) === 1,
      withinMs,
    );
    await streams.delete("TASKS");
    // Another stream has its subjects, so the stream cannot be created again.
    await streams.add({ name: "OTHER", subjects: ["task.v1.video.*"] });
    await until(
      "it to be reported as missing",
      async () => (await metric("modelgate_stream_present", stream)) === 0,
      withinMs,
    );
    await streams.delete("OTHER");
    await until(
      "it to be reported again",
      async () => (await metric("modelgate_stream_present", stream)) === 1,
      withinMs,
    );
  });

  test("accounts whose balance would not last a day at the rate of the last one", async () => {
    await createAccount(redis, { id: "rich", balance: 1_000_000n });
    await createAccount(redis, { id: "poor", balance: 1_000_000n });
    await spend("rich", 100_000n);
    await spend("poor", 900_000n);
    await until("one account to be low", async () => (await metric("modelgate_accounts_low_balance")) === 1, withinMs);
  });

  test("an account's spending is read from sums, not from its calls", async () => {
    await createAccount(redis, { id: "summed", balance: 1_000n });
    // After 23:00 UTC, the last 24 hours are one complete day, which is read from the daily totals.
    const tables = ["hourly_totals", "daily_totals"];
    const books = new DatabaseSync(join(folder, "books.sqlite"), { timeout: 10_000 });
    const columns = books.prepare("select name from pragma_table_info('hourly_totals') where name <> 'account'").all();
    const names = columns.map(({ name }) => String(name)).join(", ");
    for (const table of tables)
      books.exec(
        `insert into ${table} (account, ${names}) select 'summed', ${names} from ${table} where account = 'poor'`,
      );
    books.close();
    await until(
      "another account to be low",
      async () => (await metric("modelgate_accounts_low_balance")) === 2,
      withinMs,
    );
    const again = new DatabaseSync(join(folder, "books.sqlite"), { timeout: 10_000 });
    // Verification would report these totals.
    for (const table of tables) again.exec(`delete from ${table} where account = 'summed'`);
    again.close();
  });

  test("invalid books, until they are valid again", async () => {
    await createAccount(redis, { id: "robbed", balance: 1_000_000n });
    await until(
      "accounts to be verified",
      async () => (await metric("modelgate_verifications_total")) !== undefined,
      withinMs,
    );
    await until("all to be valid", async () => (await metric("modelgate_accounts_diverging")) === 0, withinMs);
    await redis.hincrby(accountKeys.account("robbed"), "available", -7);
    await until("it to be found", async () => (await metric("modelgate_accounts_diverging")) === 1, withinMs);
    await redis.hincrby(accountKeys.account("robbed"), "available", 7);
    await until("it to be valid again", async () => (await metric("modelgate_accounts_diverging")) === 0, withinMs);
  });
});
