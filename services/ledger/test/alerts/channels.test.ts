import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { readAlerts, type Books } from "@modelgate/books";
import { countShortCooldown, endModelCooldowns, startModelCooldown } from "@modelgate/channels";
import { createLogger } from "@modelgate/platform";
import { startLocalRedis, type LocalRedis } from "@modelgate/testkit";
import { AlertRecorder } from "../../src/alerts/alert-recorder.ts";
import { recordChannelAlerts } from "../../src/alerts/record-alerts.ts";
import { newBooks } from "../engines.ts";

const { log } = createLogger("test", "silent");
const [secondMs, hourMs] = [1_000, 3_600_000];
const start = Date.parse("2026-11-26T10:00:00.000Z");

describe("alerts of a channel", () => {
  let server: LocalRedis;
  let redis: Redis;
  let books: Books;
  /** Recorders of two ledgers. */
  let recorders: readonly AlertRecorder[];
  beforeAll(async () => {
    server = await startLocalRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await redis.flushall();
    books = await newBooks({ kind: "sqlite" });
    recorders = [new AlertRecorder(log), new AlertRecorder(log)];
    vi.useFakeTimers({ toFake: ["Date"], now: start });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await books[Symbol.asyncDispose]();
  });

  /** Lets both ledgers search at a time after the start. Returns all alerts, oldest first. */
  async function foundAt(afterMs: number): Promise<readonly string[]> {
    vi.setSystemTime(start + afterMs);
    for (const recorder of recorders) await recordChannelAlerts(books, { redis, recorder });
    const alerts = await readAlerts(books, { limit: 99 });
    return alerts.toReversed().map(({ kind, subject, period }) => `${kind} ${subject} ${period}`);
  }
  const startCooldownAt = (afterMs: number) =>
    startModelCooldown(redis, {
      channel: "main",
      model: "m",
      since: start + afterMs,
      until: start + afterMs + 5 * secondMs,
      reason: "it fails",
    });
  const works = () => endModelCooldowns(redis, "main", ["m"]);
  const cooldown = (hour: string) => `channel-cooldown main#m 2026-11-26T${hour}`;
  const recovered = (hour: string) => `channel-recovered main#m channel-cooldown/2026-11-26T${hour}`;

  test("a cooldown causes an alert after 15 seconds, and its end causes one", async () => {
    await startCooldownAt(0);
    expect(await foundAt(15 * secondMs - 1)).toEqual([]);
    expect(await foundAt(15 * secondMs)).toEqual([cooldown("10")]);
    expect(await foundAt(30 * secondMs)).toEqual([cooldown("10")]);
    await works();
    expect(await foundAt(45 * secondMs)).toEqual([cooldown("10"), recovered("10")]);
    expect(await foundAt(60 * secondMs)).toHaveLength(2);
  });

  test("a cooldown that ends earlier causes no alert, nor does its end", async () => {
    await startCooldownAt(0);
    expect(await foundAt(14 * secondMs)).toEqual([]);
    await works();
    expect(await foundAt(29 * secondMs)).toEqual([]);
  });

  test("a cooldown that lasts into the next hour is one; the next cooldown in that hour is another one", async () => {
    await startCooldownAt(0.5 * hourMs);
    await foundAt(0.6 * hourMs);
    expect(await foundAt(hourMs)).toEqual([cooldown("10")]);
    await works();
    expect(await foundAt(1.1 * hourMs)).toEqual([cooldown("10"), recovered("10")]);
    await startCooldownAt(1.2 * hourMs);
    expect(await foundAt(1.3 * hourMs)).toEqual([cooldown("10"), recovered("10"), cooldown("11")]);
    await works();
    await foundAt(1.4 * hourMs);
    await startCooldownAt(1.5 * hourMs);
    expect(await foundAt(1.6 * hourMs)).toHaveLength(4); // at most one an hour
  });

  const countCooldownAt = async (afterMs: number) => {
    const [since, until] = [new Date(start + afterMs).toISOString(), start + afterMs + 5 * secondMs];
    await redis.del("channels:short-cooldown:main#m"); // its cooldowns have fake times
    await countShortCooldown(redis, "main#m", {
      kind: "failing",
      reason: "it fails",
      since,
      until,
      consecutiveCooldowns: 1,
    });
  };
  const unstable = (hour: string) => `${cooldown(hour)}/unstable`;

  test("ten short cooldowns in an hour are one without an end, although no check finds the channel in cooldown", async () => {
    for (let at = 1; at < 10; at++) await countCooldownAt(at * 60 * secondMs);
    expect(await foundAt(0.4 * hourMs)).toEqual([]);
    await countCooldownAt(0.5 * hourMs);
    expect(await foundAt(0.5 * hourMs)).toEqual([unstable("10")]);
    const [alert] = (await readAlerts(books, { limit: 9 })).toReversed();
    expect(alert?.summary).toBe("main#m is unstable: it had 10 cooldowns of less than 30 seconds in this hour.");
    recorders = [new AlertRecorder(log)]; // a restart
    await countCooldownAt(0.7 * hourMs);
    expect(await foundAt(0.9 * hourMs)).toEqual([unstable("10")]);
    expect(await foundAt(hourMs)).toHaveLength(1);
    for (let at = 0; at < 10; at++) await countCooldownAt(hourMs + at * 60 * secondMs);
    expect(await foundAt(1.5 * hourMs)).toEqual([unstable("10"), unstable("11")]);
  });

  test("a longer cooldown of an unstable channel in the same hour is one, with its end", async () => {
    for (let at = 0; at < 10; at++) await countCooldownAt(at * 30 * secondMs);
    await foundAt(0.1 * hourMs);
    await startCooldownAt(0.2 * hourMs);
    expect(await foundAt(0.3 * hourMs)).toEqual([unstable("10"), cooldown("10")]);
    await works();
    expect(await foundAt(0.4 * hourMs)).toEqual([unstable("10"), cooldown("10"), recovered("10")]);
  });
});
