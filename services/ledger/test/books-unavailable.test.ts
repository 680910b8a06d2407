import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount, hold, publishEntries, settle } from "@modelgate/accounts";
import type { UsageEvent } from "@modelgate/contracts";
import { signOperator } from "@modelgate/contracts/operator-credential";
import { createLogger, openBus, type Bus } from "@modelgate/platform";
import {
  testUsageDraft,
  startLocalBackends,
  startLocalPostgres,
  startServiceAlone,
  until,
  type AloneService,
  type LocalBackends,
  type LocalPostgres,
} from "@modelgate/testkit";

const secret = "a secret of the tests, long enough";
let backends: LocalBackends;
let redis: Redis;
let bus: Bus;
let postgres: LocalPostgres;
beforeAll(async () => {
  [backends, postgres] = await Promise.all([startLocalBackends(), startLocalPostgres()]);
  redis = new Redis(backends.redisUrl);
  bus = await openBus(backends.natsUrl, createLogger("test", "silent").log);
});
afterAll(async () => {
  redis?.disconnect();
  await bus?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
});

const start = (env: Readonly<Record<string, string>>): Promise<AloneService> =>
  startServiceAlone("ledger", {
    REDIS_URL: backends.redisUrl,
    NATS_URL: backends.natsUrl,
    MODELGATE_SECRET: secret,
    LOG_LEVEL: "warn",
    ...env,
  });

/** Settles a call and publishes its event to NATS. It does not need the books. */
async function call(accountId: string, callId: string): Promise<void> {
  const draft = { ...testUsageDraft(accountId, callId), time: new Date().toISOString() };
  const reservation = { nanos: 2n, floorNanos: 0n, tokens: 0, leaseMs: 60_000, outboxBound: 1_000 };
  await hold(redis, { accountId, callId, draft, tokenId: "tok_1", ...reservation });
  const entry = await settle(redis, { accountId, callId, costNanos: 1n, tokens: 0, draft });
  if (entry !== undefined) await publishEntries(redis, bus, [entry]);
}

/** Returns the ids of an account's calls, or the error. */
async function read(ledger: AloneService, account: string): Promise<readonly string[] | string> {
  const authorization = `Bearer ${signOperator(secret, Math.floor(Date.now() / 1_000) + 60)}`;
  const answer = await fetch(`${ledger.url}/usage/events?account=${account}`, {
    headers: { authorization, connection: "close" },
  });
  const body: { data?: { events: UsageEvent[] }; error?: { message: string } } = JSON.parse(await answer.text());
  return body.data?.events.map(({ id }) => id) ?? `${answer.status} ${body.error?.message}`;
}

const booksUp = 'modelgate_store_up{store="books",service="ledger"}';
const metrics = async ({ opsUrl }: AloneService): Promise<string> => (await fetch(`${opsUrl}/metrics`)).text();

// First, because the database must be empty.
test("a ledger that starts before its PostgreSQL waits for it, and creates its tables", async () => {
  await postgres.server.kill();
  const ledger = await start({ BOOKS_URL: postgres.url });
  try {
    expect(await read(ledger, "early")).toMatch(/^503 /);
    await createAccount(redis, { id: "early", balance: 1_000n });
    await call("early", "early-1");
    await postgres.server.start();
    await until("the call to be recorded", async () => (await read(ledger, "early")).includes("early-1"));
  } finally {
    await ledger[Symbol.asyncDispose]();
  }
});

test("while PostgreSQL is unavailable calls continue, reads report the start of the outage, and settled calls are recorded afterwards", async () => {
  const ledger = await start({ BOOKS_URL: postgres.url });
  try {
    await createAccount(redis, { id: "away", balance: 1_000n });
    await call("away", "before");
    await until("it to be recorded", async () => (await read(ledger, "away")).includes("before"));
    expect(await metrics(ledger)).toContain(`${booksUp} 1`);
    const killedAt = Date.now();
    await postgres.server.kill();
    await call("away", "meanwhile");
    const message = await read(ledger, "away");
    expect(message).toMatch(/^503 The books have not answered since \S+Z\. Calls continue/);
    expect(Date.parse(/since (\S+Z)/.exec(String(message))?.[1] ?? "")).toBeGreaterThanOrEqual(killedAt);
    await until("the metric to show it", async () => (await metrics(ledger)).includes(`${booksUp} 0`));
    await postgres.server.start();
    await until("both to be recorded", async () => (await read(ledger, "away")).length === 2);
    expect(await read(ledger, "away")).toEqual(["meanwhile", "before"]);
    await until("the metric to show the end", async () => (await metrics(ledger)).includes(`${booksUp} 1`));
  } finally {
    await ledger[Symbol.asyncDispose]();
  }
});

test("while PostgreSQL is read-only, as after a failover, an event waits and is not skipped", async () => {
  const ledger = await start({ BOOKS_URL: postgres.url });
  /** Makes the database read-only or writable, and ends all sessions. */
  const readOnly = async (mode: "on" | "off"): Promise<void> => {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query("set default_transaction_read_only = off");
    await client.query(`alter database ${client.database} set default_transaction_read_only = ${mode}`);
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()");
    await client.end();
  };
  try {
    await createAccount(redis, { id: "demoted", balance: 1_000n });
    await readOnly("on");
    // The ledger has connected again. Its next write fails because the database is read-only.
    await until("the ledger to read again", async () => Array.isArray(await read(ledger, "demoted").catch(String)));
    await call("demoted", "demoted-1");
    const isRefused = (line: string): boolean =>
      line.includes("handling events failed") && line.includes("in a read-only transaction");
    await until("the event to be refused", () => ledger.logs().split("\n").some(isRefused));
    await readOnly("off");
    await until("the call to be recorded", async () => (await read(ledger, "demoted")).includes("demoted-1"));
    expect(ledger.logs()).not.toContain("is skipped");
  } finally {
    await ledger[Symbol.asyncDispose]();
  }
});

test("while another process locks the SQLite file, events wait, and nothing is lost", async () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-locked-"));
  const ledger = await start({ MODELGATE_DATA: folder });
  const script = `const { DatabaseSync } = require("node:sqlite"); const at = new DatabaseSync(process.argv[1]);
    at.exec("pragma busy_timeout = 30000"); at.exec("begin immediate"); console.log("locked"); process.stdin.on("data", () => process.exit()).resume();`;
  const locker = spawn(process.execPath, ["-e", script, join(folder, "books.sqlite")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    await once(locker.stdout, "data");
    await createAccount(redis, { id: "locked", balance: 1_000n });
    await call("locked", "locked-1");
    await until("the ledger's warning", () => ledger.logs().includes("the books are unavailable"));
    expect(await read(ledger, "locked")).not.toContain("locked-1");
    locker.stdin.write("end\n");
    await until("the call to be recorded", async () => (await read(ledger, "locked")).includes("locked-1"));
  } finally {
    locker.kill();
    await ledger[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
});
