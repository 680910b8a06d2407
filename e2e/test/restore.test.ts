import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clusterIsPossible, startLocalSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { config, hello, money, post } from "./house.ts";

let suite: Suite<LocalBackends>;
beforeAll(async () => {
  if (!clusterIsPossible) return;
  suite = await startLocalSuite({
    config,
    env: { HOLD_LEASE_MS: "1500" },
    envOf: { ledger: { AFTER_OUTAGE_MS: "2000" } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** The words of deploy/README.md that make a backup the file that Redis reads. */
const [, putInPlace = ""] =
  /<!-- restore\.test\.ts runs this -->\n\s*```sh\n([^]*?)```/.exec(
    readFileSync(join(import.meta.dirname, "../../deploy/README.md"), "utf8"),
  ) ?? [];

/** Asks Redis one thing by a connection of its own. */
async function asked<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(suite.backends.redisUrl);
  try {
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}

/** The balance after an account's newest event, as an operator who restores reads it. */
async function lastBalance(account: string): Promise<bigint> {
  const receipts = (await storedEvents(suite.backends.natsUrl)).flatMap(({ event }) =>
    event.accountId === account && event.receipt !== undefined ? [event.receipt] : [],
  );
  const newest = receipts.reduce((last, receipt) => (receipt.number > last.number ? receipt : last));
  return BigInt(newest.balanceNanos);
}

// A Redis in a container names its folder as it is in there.
test.skipIf(!clusterIsPossible)(
  "a backup of Redis, put back as deploy/README.md says, and corrected by the events: no account has lost a nano-dollar",
  async () => {
    const spent = async () => (await money(suite)).spentNanos;
    await post(suite, hello("fixed"));
    const slow = '{{simulate: {"chunks": 30, "chunkDelayMs": 50}}}';
    const open = await post(suite, { ...hello("chat", slow), stream: true });
    const folder = await asked(async (redis) => {
      expect((await redis.config("GET", "appendonly"))[1]).toBe("yes");
      await redis.save();
      return (await redis.config("GET", "dir"))[1] ?? "";
    });
    expect(folder).not.toBe("");
    copyFileSync(join(folder, "dump.rdb"), join(folder, "backup.rdb"));
    expect(BigInt((await money(suite)).heldNanos)).toBeGreaterThan(0n);

    await open.text();
    for (let at = 0; at < 3; at++) await post(suite, hello("fixed"));
    await until("all of it to be charged", async () => BigInt(await spent()) > 4_000_000n);
    const before = BigInt((await money(suite)).balanceNanos);
    const last = await until("its events to be stored", async () => {
      const balance = await lastBalance("demo");
      return balance === before && balance;
    });

    await suite.backends.redis.kill();
    expect(putInPlace).toContain("backup.rdb");
    execFileSync("sh", ["-ec", putInPlace], { cwd: folder });
    await suite.backends.redis.start();
    const held = await until("Redis to be back", () => money(suite).catch(() => undefined));
    expect(BigInt(held.spentNanos)).toBeGreaterThanOrEqual(1_000_000n); // the backup's, not nothing

    await until(
      "the call that was open at the backup to be settled",
      async () => (await money(suite)).heldNanos === "0",
    );
    const off = last - BigInt((await money(suite)).balanceNanos);
    // The ledger may have put back by then what the books know; what it has not is corrected by hand.
    expect(off).toBeLessThanOrEqual(0n);
    const amount = `-${-off / 1_000_000_000n}.${String(-off % 1_000_000_000n).padStart(9, "0")}`;
    if (off !== 0n)
      await suite.ask("account", "correct", "demo", amount, "--reason", "restore", "--operation-id", "restore-1");
    expect(BigInt((await money(suite)).balanceNanos)).toBe(before);
    expect((await post(suite, hello("fixed"))).status).toBe(200);
  },
);
