import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { connect } from "nats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount, credit, findAccount, hold, settle } from "@modelgate/accounts";
import { Failure, type UsageDraft } from "@modelgate/contracts";
import { createLogger, openRedis, RefusedCalls } from "@modelgate/platform";
import { signOperator } from "@modelgate/contracts/operator-credential";
import {
  type AloneService,
  testUsageDraft,
  type LocalBackends,
  startLocalBackends,
  startServiceAlone,
  until,
} from "@modelgate/testkit";
import { engines } from "./engines.ts";

const secret = "a secret of some length";

describe.each(engines)("books in $name", ({ name, kind, start: startEngine }) => {
  /** Engines for tests without the books, which run once. */
  const once = name === "SQLite" ? [name] : [];
  const folder = mkdtempSync(join(tmpdir(), "modelgate-ledger-"));
  let backends: LocalBackends;
  let redis: Redis;
  let ledgers: readonly AloneService[] = [];
  beforeAll(async () => {
    backends = await startLocalBackends();
    await using engine = await startEngine();
    const { url = "" } = await engine.booksAddress();
    redis = new Redis(backends.redisUrl);
    const env = {
      REDIS_URL: backends.redisUrl,
      NATS_URL: backends.natsUrl,
      MODELGATE_SECRET: secret,
      ...(kind === "sqlite" ? { MODELGATE_DATA: folder } : { BOOKS_URL: url }),
    };
    const limits = { ledger: { rounds: { roundMs: 100, leftBehindMs: 100, afterOutageMs: 6_000 } } };
    ledgers = await Promise.all([startServiceAlone("ledger", env, limits), startServiceAlone("ledger", env, limits)]);
  });
  afterAll(async () => {
    await Promise.all(ledgers.map((ledger) => ledger[Symbol.asyncDispose]()));
    redis?.disconnect();
    await backends?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function read(path: string, ledger = ledgers[0]): Promise<{ readonly status: number; readonly body: any }> {
    const credential = signOperator(secret, Math.floor(Date.now() / 1_000) + 60);
    const answer = await fetch(`${ledger?.url}${path}`, {
      headers: { authorization: `Bearer ${credential}`, connection: "close" },
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  }

  const draft = (accountId: string, id: string): UsageDraft => ({
    ...testUsageDraft(accountId, id),
    time: new Date().toISOString(),
    status: 0,
    units: { inputTokens: 3 },
  });
  const put = (accountId: string, callId: string, leaseMs: number) =>
    hold(redis, {
      accountId,
      callId,
      nanos: 100n,
      floorNanos: 30n,
      draft: draft(accountId, callId),
      tokenId: "tok_1",
      tokens: 0,
      leaseMs,
      outboxBound: 1_000,
    });

  /** Returns the message ids in a stream, with repetitions. */
  async function stored(stream = "USAGE"): Promise<readonly string[]> {
    const connection = await connect({ servers: backends.natsUrl });
    const management = await connection.jetstreamManager();
    const { state } = await management.streams.info(stream);
    const messages = await Promise.all(
      Array.from({ length: state.messages }, (_, at) =>
        management.streams.getMessage(stream, { seq: state.first_seq + at }),
      ),
    );
    await connection.close();
    return messages.map(({ header }) => header.get("Nats-Msg-Id"));
  }

  function metrics(): Promise<readonly string[]> {
    return Promise.all(ledgers.map(async ({ opsUrl }) => (await fetch(`${opsUrl}/metrics`)).text()));
  }

  test("a refused call is found by its request, with its code's meaning, recorded once by two concurrent ledgers", async () => {
    const platformRedis = await openRedis(backends.redisUrl, createLogger("test", "silent").log);
    const refused = new RefusedCalls(platformRedis);
    const request = { accountId: "refused", tokenId: "tok_1", endpoint: "POST /v1/chat/completions" };
    for (let at = 0; at < 15; at++)
      refused.add({ ...request, requestId: `refused-${at}`, model: "gpt-x" }, new Failure("model_not_found"));
    refused.add({ ...request, requestId: "of-another", accountId: "another" }, new Failure("insufficient_quota"));
    await refused[Symbol.asyncDispose]();
    platformRedis.disconnect();
    const listed = async (query: string) => (await read(`/usage/refused?${query}`)).body.data?.refused;
    await until("all refused calls", async () => (await listed("account=refused"))?.length === 15);
    expect(await listed("request-id=refused-7&model=gpt-x&status=404")).toMatchObject([
      {
        ...request,
        requestId: "refused-7",
        code: "model_not_found",
        status: 404,
        calls: 1,
        meaning: "The model does not exist or this key cannot use it.",
      },
    ]);
    expect(await listed("request-id=of-another&account=refused")).toEqual([]);
    expect((await read("/usage/refused?status=often")).status).toBe(400);
  });

  test("events of a killed service are published once and counted once by two concurrent ledgers", async () => {
    await createAccount(redis, { id: "lost", balance: 1_000_000n });
    const calls = Array.from({ length: 100 }, (_, at) => `lost-${at}`);
    for (const callId of calls) {
      await put("lost", callId, 60_000);
      await settle(redis, {
        accountId: "lost",
        callId,
        costNanos: 7n,
        tokens: 3,
        draft: draft("lost", callId),
      });
    }
    const ids = await until("all events to be stored", async () => {
      const all = (await stored()).filter((id) => id.startsWith("lost-"));
      return all.length >= calls.length && all;
    });
    expect(ids.toSorted()).toEqual(calls.toSorted());
    const totals = async () => (await read("/usage?by=account&account=lost")).body.data;
    await until("all events to be counted", async () => (await totals())?.[0]?.sums.calls === "100");
    expect(await totals()).toEqual([
      { by: { account: "lost" }, sums: { calls: "100", costNanos: "700", inputTokens: "300" } },
    ]);
  });

  test.each(once)("top-ups and corrections are events, each once", async () => {
    await createAccount(redis, { id: "given", balance: 100n });
    const topUp = { accountId: "given", nanos: 50n, reason: "invoice 7", operationId: "seven" };
    await credit(redis, topUp);
    await credit(redis, topUp);
    await credit(redis, { ...topUp, nanos: -20n, reason: "billed twice", operationId: "back" });
    const ids = await until("its three events", async () => {
      const all = (await stored("CREDITS")).filter((id) => id.startsWith("given."));
      return all.length >= 3 && all;
    });
    expect(ids.toSorted()).toEqual(["given.back", "given.opening", "given.seven"]);
  });

  test.each(once)(
    "an abandoned hold is settled once at its floor, and its service's settlement is too late",
    async () => {
      await createAccount(redis, { id: "dead", balance: 1_000n });
      const swept = async (): Promise<number> =>
        (await metrics())
          .map((text) => Number(/^modelgate_holds_swept_total\{[^}]*\} (\d+)$/m.exec(text)?.[1]))
          .reduce((sum, one) => sum + one, 0);
      const before = await swept();
      await put("dead", "dead-1", 100);
      await until("the hold to be swept", async () => (await findAccount(redis, "dead"))?.heldNanos === 0n);
      await until("it to be counted", async () => (await swept()) > before);
      expect(
        await settle(redis, {
          accountId: "dead",
          callId: "dead-1",
          costNanos: 90n,
          tokens: 0,
          draft: draft("dead", "dead-1"),
        }),
      ).toBeUndefined();
      expect(await findAccount(redis, "dead")).toMatchObject({ balanceNanos: 970n, spentNanos: 30n });
      await until("its event", async () => (await stored()).filter((id) => id === "dead-1").length === 1);
    },
  );

  test.each(once)(
    "a hold whose lease expired while Redis was unavailable is settled by its service, and later by the sweep",
    async () => {
      // Long enough for Redis to be paused before the leases end.
      const leaseMs = 2_500;
      for (const id of ["outage", "other"]) await createAccount(redis, { id, balance: 1_000n });
      await put("other", "other-1", 60_000);
      await put("outage", "outage-1", leaseMs);
      await put("outage", "outage-2", leaseMs);
      const leasesEnd = Date.now() + leaseMs;
      const waitedInVain = async (ledger: AloneService): Promise<boolean> =>
        ledger.logs().includes("checking the shards failed");
      backends.redis.pause();
      await until("both ledgers to have seen it", async () =>
        (await Promise.all(ledgers.map(waitedInVain))).every(Boolean),
      );
      await until("the leases to end, by the clock of this machine", () => Date.now() > leasesEnd);
      backends.redis.resume();
      const other = {
        accountId: "other",
        callId: "other-1",
        costNanos: 1n,
        tokens: 0,
        draft: draft("other", "other-1"),
      };
      await settle(redis, other);
      await until("a round after the outage to publish the remaining events", async () =>
        (await stored()).includes("other-1"),
      );
      const settled = await settle(redis, {
        accountId: "outage",
        callId: "outage-1",
        costNanos: 90n,
        tokens: 0,
        draft: draft("outage", "outage-1"),
      });
      expect(settled?.event.costNanos).toBe("90");
      await until("the other one to be swept", async () => (await findAccount(redis, "outage"))?.heldNanos === 0n);
      expect(await findAccount(redis, "outage")).toMatchObject({ spentNanos: 120n });
    },
  );

  test.each(once)(
    "calls that were settled while NATS was unavailable are recorded when it is available again",
    async () => {
      await createAccount(redis, { id: "away", balance: 1_000n });
      await backends.nats.kill();
      await put("away", "away-1", 60_000);
      await settle(redis, {
        accountId: "away",
        callId: "away-1",
        costNanos: 1n,
        tokens: 0,
        draft: draft("away", "away-1"),
      });
      const waiting = async (): Promise<number> =>
        Number(/^modelgate_outbox_events\{[^}]*\} (\d+)$/m.exec((await metrics())[0] ?? "")?.[1]);
      expect(await waiting()).toBeGreaterThan(0);
      await backends.nats.start();
      await until("the event", async () => (await stored()).includes("away-1"));
      await until("it to stop waiting", async () => (await waiting()) === 0);
    },
  );

  test("events that cannot be read or recorded are skipped, and delay no others", async () => {
    const connection = await connect({ servers: backends.natsUrl });
    const event = { ...draft("sound", "sound-1"), costNanos: "5" };
    const bodies = [
      "{",
      "null",
      "7",
      "{}",
      { ...event, id: "unsound", costNanos: "much" },
      { ...event, time: "soon" },
      event,
    ];
    for (const body of bodies)
      connection.publish("usage.v1.text", typeof body === "string" ? body : JSON.stringify(body));
    await connection.flush();
    const page = await until("the valid one", async () => {
      const { body } = await read("/usage/events?account=sound");
      return body.data?.events.length > 0 && body.data;
    });
    expect(page).toEqual({ events: [event], next: null });
    await connection.close();
  });
});
