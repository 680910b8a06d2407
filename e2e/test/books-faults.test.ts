import { connect } from "nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventStreams } from "@modelgate/contracts";
import {
  startLocalBackends,
  startLocalPostgres,
  startSuite,
  until,
  type LocalBackends,
  type LocalPostgres,
  type Suite,
} from "@modelgate/testkit";
import { openSlowWay, type SlowWay } from "../chaos/slow-way.ts";
import { config, hello, money, post, read } from "./house.ts";

let backends: LocalBackends;
let postgres: LocalPostgres;
let ledgerWay: SlowWay;
let suite: Suite<LocalBackends>;
beforeAll(async () => {
  backends = await startLocalBackends();
  postgres = await startLocalPostgres();
  ledgerWay = await openSlowWay(Number(new URL(backends.natsUrl).port));
  const ledger = { BOOKS_URL: postgres.url, NATS_URL: `nats://127.0.0.1:${ledgerWay.port}` };
  suite = await startSuite({ shape: "apart", backends, config, envOf: { ledger } });
}, 120_000);
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await ledgerWay?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
});

/** Calls of a tenth of a cent each, one after the other. */
async function calls(count: number): Promise<void> {
  for (let at = 0; at < count; at++) expect((await post(suite, hello("fixed"))).status).toBe(200);
}

/** A row of `gatectl usage`. */
interface Row {
  readonly sums: Readonly<Record<string, string>>;
}

const priceNanos = 1_000_000n;
let made = 0n;

/** Waits until each call is in the books, charged once, and the account agrees. Resolves to the number of calls there. */
async function inTheBooks(): Promise<string | undefined> {
  const sums = await until(
    "the books to have every call once",
    async () => {
      const { accounts } = await read<{ accounts: { ok: boolean; to: number }[] }>(
        suite,
        "/ledger/verification?account=demo",
      ).catch(() => ({ accounts: [] }));
      const [row] = await suite.ask<readonly Row[]>("usage", "--by", "account").catch(() => []);
      // A call that a stream lost is known to its receipts before it is published once more, and counted.
      const isWhole = accounts[0]?.ok === true && BigInt(accounts[0].to) === made + 1n;
      return isWhole && BigInt(row?.sums["calls"] ?? 0) >= made && row?.sums;
    },
    60_000,
  );
  expect(sums).toMatchObject({ calls: String(made), costNanos: String(made * priceNanos) });
  expect((await money(suite)).spentNanos).toBe(String(made * priceNanos));
  return sums["calls"];
}

test("streams that are deleted under calls are made anew, and nothing is lost", async () => {
  await calls(2);
  const ledger = suite.process("ledger");
  ledger.signal("SIGSTOP"); // what it has not read goes with the streams
  await calls(2);
  const connection = await connect({ servers: backends.natsUrl });
  const { streams } = await connection.jetstreamManager();
  for (const { name } of Object.values(eventStreams)) await streams.delete(name);
  await connection.close();
  await calls(2);
  ledger.signal("SIGCONT");
  made = 6n;
  expect(await inTheBooks()).toBe("6");
}, 120_000);

test("while PostgreSQL is away calls go on, and are in the books once it is back", async () => {
  await postgres.server.kill();
  await calls(3);
  const { stdout, stderr } = await suite.gatectl("usage");
  expect(`${stdout}${stderr}`).toMatch(/The books have not answered since \S+Z\. Calls go on/);
  await postgres.server.start();
  made += 3n;
  await inTheBooks();
}, 120_000);

test("a ledger that is killed between its commit and its acknowledgement counts nothing twice", async () => {
  const connection = await connect({ servers: backends.natsUrl });
  const { consumers } = await connection.jetstreamManager();
  ledgerWay.losesRequests = true;
  const pending = async (): Promise<number> => (await consumers.info("USAGE", "ledger")).num_ack_pending;
  // A call is delivered by what the ledger asked for before, and committed; its acknowledgement does not arrive.
  await calls(1);
  made += 1n;
  await until("the call to be delivered", async () => (await pending()) > 0, 30_000);
  await until("it to be committed", async () => {
    const rows = await suite.ask<readonly Row[]>("usage", "--by", "account");
    return rows[0]?.sums["calls"] === String(made);
  });
  expect(await pending()).toBeGreaterThan(0);
  suite.process("ledger").signal("SIGKILL");
  await suite.process("ledger").ended;
  ledgerWay.losesRequests = false;
  await suite.restart("ledger");
  await calls(1);
  made += 1n;
  await inTheBooks();
  await until("all to be acknowledged", async () => (await pending()) === 0, 60_000);
  await connection.close();
}, 120_000);
