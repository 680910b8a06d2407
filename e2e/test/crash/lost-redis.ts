import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accountKeys } from "@modelgate/accounts";
import { canStartCluster, until, type Suite } from "@modelgate/testkit";
import { logFolder, newestLog, onRedis } from "../../chaos/redis-log.ts";
import { hello, keys, money, post, read, sdk, settledMoney } from "../suite-client.ts";
import type { CrashSetup } from "./setup.ts";

interface Verification {
  readonly ok: boolean;
  readonly to: number;
  readonly restored: readonly { readonly calls: number; readonly reason: string }[];
}

/** Waits until nothing is reserved, and the books agree about at least `receipts` receipts. */
async function booksAgree(suite: Suite, receipts = 0): Promise<Verification> {
  let lastState: unknown;
  const found = await until(
    `the books to agree about ${receipts} receipts`,
    async () => {
      const account = await money(suite).catch(() => undefined);
      const answer = read<{ accounts: Verification[] }>(suite, "/ledger/verification?account=demo");
      const [one] = (await answer.catch(() => undefined))?.accounts ?? [];
      lastState = [one, account];
      return one?.ok === true && one.to >= receipts && account?.heldNanos === "0" && one;
    },
    60_000,
  ).catch((error: unknown) => expect.unreachable(`${String(error)}: ${JSON.stringify(lastState)}`));
  const { balanceNanos, creditedNanos, spentNanos } = await money(suite);
  expect(BigInt(balanceNanos)).toBe(BigInt(creditedNanos) - BigInt(spentNanos));
  return found;
}

const passes = (suite: Suite): Promise<true> =>
  until("calls to pass again", async () => (await post(suite, hello("fixed"))).status === 200, 60_000);

/** Command in docs/operations/backup.md that replaces Redis' file by a backup. */
const [, putInPlace = ""] =
  /<!-- not run: lost-redis\.ts runs it -->\n\s*```sh\n([^]*?)```/.exec(
    readFileSync(join(import.meta.dirname, "../../../docs/operations/backup.md"), "utf8"),
  ) ?? [];

/** While the ledger is stopped, the other services see a Redis without the lost data. */
export function lostRedisTests(setup: () => CrashSetup): void {
  test("Redis is emptied during a stream and a video: both end normally and are charged once; other calls get 503", async () => {
    const { suite } = setup();
    const { to } = await booksAgree(suite);
    const { creditedNanos } = await money(suite);
    const before = (await suite.simulator.requests("main")).length;
    await suite.simulator.forget("openai-films");
    const slow = hello("chat", 'Hi {{simulate: {"chunks": 60, "waitFor": "emptied"}}}');
    const stream = await post(suite, { ...slow, stream: true });
    await until(
      "the request to reach the vendor",
      async () => (await suite.simulator.requests("main")).length > before,
    );
    const prompt = 'A boat {{simulate: {"waitFor": "emptied", "polls": 1}}}';
    const film = sdk(suite).videos.create({ model: "film-openai", prompt });
    const filmRequests = () => suite.simulator.requests("openai-films");
    await until("its request to reach the vendor", async () => (await filmRequests()).length > 0);
    suite.process("ledger").signal("SIGSTOP");
    await onRedis(suite.backends.redisUrl, (redis) => redis.flushall());
    const refused = await post(suite, hello("fixed"));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(JSON.parse(await refused.text())).toMatchObject({ error: { code: "server_overloaded" } });
    suite.process("ledger").signal("SIGCONT");
    await suite.simulator.release("emptied");
    expect(await stream.text()).toContain("[DONE]");
    await passes(suite);
    const { id } = await film;
    await until("the video to be generated", async () => (await sdk(suite).videos.retrieve(id)).status === "completed");
    expect((await filmRequests()).filter(({ method }) => method === "POST")).toHaveLength(1);
    const agreed = await booksAgree(suite, to + 3);
    expect(agreed).toMatchObject({
      to: to + 3,
      restored: [{ calls: 1, reason: "the call was open when Redis was lost" }],
    });
    expect((await money(suite)).creditedNanos).toBe(creditedNanos);
  });

  test("Redis returns with the state before the last key changes: unknown keys get 503, then the changes apply again", async () => {
    const { suite } = setup();
    const newKey = (): Promise<{ id: string; key: string }> =>
      suite.ask("token", "create", "demo", "--group", "default");
    const disabled = await newKey();
    // The ledger records this after a complete comparison. Only then can services detect lost writes.
    const isComplete = () => onRedis(suite.backends.redisUrl, (redis) => redis.exists(accountKeys.completeRuns));
    await until("Redis to be known as complete", async () => (await isComplete()) === 1, 60_000);
    const cut = await newestLog(suite.backends.redisUrl);
    await suite.ask("token", "disable", disabled.id);
    const created = await newKey();
    suite.process("ledger").signal("SIGSTOP");
    await suite.backends.redis.kill();
    truncateSync(cut.file, cut.bytes);
    await suite.backends.redis.start();
    const status = async (key: string): Promise<number> => (await post(suite, hello("fixed"), key)).status;
    await until("Redis to be found", async () => (await status(keys.demo)) === 200);
    const unknown = await post(suite, hello("fixed"), created.key);
    expect([unknown.status, unknown.headers.get("retry-after")]).toEqual([503, "1"]);
    suite.process("ledger").signal("SIGCONT");
    await until("the new key to pass", async () => (await status(created.key)) === 200);
    await until("the other to be refused", async () => (await status(disabled.key)) === 401);
    const stranger = "sk-stranger-0123456789abcdef";
    await until("a key that was never created to be refused", async () => (await status(stranger)) === 401);
  });

  test("Redis returns with an empty volume: keys, balances and the configuration are restored", async () => {
    const { suite } = setup();
    const folder = await logFolder(suite.backends.redisUrl);
    const { balanceNanos } = await settledMoney(suite);
    await suite.backends.redis.kill();
    rmSync(folder, { recursive: true, force: true });
    await suite.backends.redis.start();
    await passes(suite);
    const paid = String(BigInt(balanceNanos) - 1_000_000n);
    await until("the call to be charged", async () => (await money(suite)).balanceNanos === paid);
    expect((await post(suite, hello("chat"), keys.disabled)).status).toBe(401);
  });

  // Skipped if Redis runs in a container, because its folder is then not on this machine.
  test.skipIf(!canStartCluster)(
    "a backup of Redis, restored as in docs/operations/backup.md: the books restore the later changes, exact to the nano-dollar",
    async () => {
      const { suite } = setup();
      const earlier = (await booksAgree(suite)).restored.length;
      const open = await post(suite, {
        ...hello("chat", '{{simulate: {"chunks": 30, "waitFor": "backed-up"}}}'),
        stream: true,
      });
      const folder = await onRedis(suite.backends.redisUrl, async (redis) => {
        expect((await redis.config("GET", "appendonly"))[1]).toBe("yes");
        await redis.save();
        return (await redis.config("GET", "dir"))[1] ?? "";
      });
      expect(folder).not.toBe("");
      copyFileSync(join(folder, "dump.rdb"), join(folder, "backup.rdb"));
      expect(BigInt((await money(suite)).heldNanos)).toBeGreaterThan(0n);
      await suite.simulator.release("backed-up");
      await open.text();
      for (let at = 0; at < 3; at++) await post(suite, hello("fixed"));
      const { to } = await booksAgree(suite);
      const { balanceNanos: before } = await money(suite);

      await suite.backends.redis.kill();
      expect(putInPlace).toContain("backup.rdb");
      execFileSync("sh", ["-ec", putInPlace], { cwd: folder });
      await suite.backends.redis.start();
      const found = await until(
        "the account to be restored",
        async () => {
          const verified = await booksAgree(suite, to);
          return (await money(suite)).balanceNanos === before && verified;
        },
        60_000,
      );
      expect(found.restored.length).toBeGreaterThan(earlier);
      expect((await post(suite, hello("fixed"))).status).toBe(200);
      await until(
        "the call to be charged",
        async () => BigInt((await money(suite)).balanceNanos) === BigInt(before) - 1_000_000n,
      );
    },
  );
}
