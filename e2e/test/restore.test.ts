import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canStartCluster, startLocalSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";
import { onRedis } from "../chaos/redis-log.ts";
import { config, hello, money, post, read, settledMoney } from "./suite-client.ts";

let suite: Suite<LocalBackends>;
beforeAll(async () => {
  if (!canStartCluster) return;
  suite = await startLocalSuite({
    shape: "apart",
    config,
    limits: { relay: { limits: { leaseMs: 1_500 } }, ledger: { rounds: { afterOutageMs: 2_000 } } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** Command in docs/operations/backup.md that replaces Redis' file by a backup. */
const [, putInPlace = ""] =
  /<!-- not run: restore\.test\.ts runs it -->\n\s*```sh\n([^]*?)```/.exec(
    readFileSync(join(import.meta.dirname, "../../docs/operations/backup.md"), "utf8"),
  ) ?? [];

// Skipped if Redis runs in a container, because its folder is then not on this machine.
test.skipIf(!canStartCluster)(
  "a backup of Redis, restored as in docs/operations/backup.md: the books restore the later changes, exact to the nano-dollar",
  async () => {
    const spent = async () => (await money(suite)).spentNanos;
    await post(suite, hello("fixed"));
    const slow = '{{simulate: {"chunks": 30, "chunkDelayMs": 50}}}';
    const open = await post(suite, { ...hello("chat", slow), stream: true });
    const folder = await onRedis(suite.backends.redisUrl, async (redis) => {
      expect((await redis.config("GET", "appendonly"))[1]).toBe("yes");
      await redis.save();
      return (await redis.config("GET", "dir"))[1] ?? "";
    });
    expect(folder).not.toBe("");
    copyFileSync(join(folder, "dump.rdb"), join(folder, "backup.rdb"));
    expect(BigInt((await money(suite)).heldNanos)).toBeGreaterThan(0n);

    await open.text();
    for (let at = 0; at < 3; at++) await post(suite, hello("fixed"));
    await until("the complete amount to be charged", async () => BigInt(await spent()) > 4_000_000n);
    const before = (await settledMoney(suite)).balanceNanos;
    const { to } = await agreeing();

    await suite.backends.redis.kill();
    expect(putInPlace).toContain("backup.rdb");
    execFileSync("sh", ["-ec", putInPlace], { cwd: folder });
    await suite.backends.redis.start();
    const found = await until(
      "the books and the account to agree",
      async () => {
        const verified = await agreeing();
        const { balanceNanos, heldNanos } = await money(suite);
        return verified.to >= to && heldNanos === "0" && balanceNanos === before && verified;
      },
      60_000,
    );
    expect(found.restored.length).toBeGreaterThan(0);
    expect((await post(suite, hello("fixed"))).status).toBe(200);
    await until(
      "the call to be charged",
      async () => BigInt((await money(suite)).balanceNanos) === BigInt(before) - 1_000_000n,
    );
  },
  180_000,
);

interface Verification {
  readonly ok: boolean;
  readonly to: number;
  readonly restored: readonly object[];
}

function agreeing(): Promise<Verification> {
  return until(
    "the books to agree",
    async () => {
      const answer = read<{ accounts: Verification[] }>(suite, "/ledger/verification?account=demo");
      const [one] = (await answer.catch(() => undefined))?.accounts ?? [];
      return one?.ok === true && one;
    },
    60_000,
  );
}
