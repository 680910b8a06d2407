import { Redis } from "ioredis";
import { renewHold, hold } from "@modelgate/accounts";
import { draftOf } from "@modelgate/testkit";
import type { House } from "./house.ts";

const [holds, rounds, leaseMs] = [200, 20, 15_000];

/** Renews holds again and again; what one renewal costs Redis and the service that asks for it. */
export async function renewals({ suite }: House): Promise<readonly (readonly [string, string])[]> {
  const redis = new Redis(suite.backends.redisUrl);
  try {
    const ids = Array.from({ length: holds }, (_, at) => `renewed-${at}`);
    const accountId = "demo";
    const draft = { ...draftOf(accountId, "renewed"), units: {} };
    for (const callId of ids)
      await hold(redis, {
        accountId,
        tokenId: "tok_1",
        callId,
        nanos: 1_000_000n,
        floorNanos: 0n,
        draft: { ...draft, id: callId },
        tokens: 0,
        leaseMs,
        outboxBound: 1_000,
      });
    const before = await cpuOf(redis);
    const own = process.cpuUsage();
    for (let round = 1; round <= rounds; round++)
      await Promise.all(
        ids.map((callId) =>
          renewHold(redis, { accountId, callId, leaseMs, floorNanos: BigInt(round), draft: { ...draft, id: callId } }),
        ),
      );
    const { user, system } = process.cpuUsage(own);
    const all = holds * rounds;
    const perSecond = 1 / (leaseMs / 3_000);
    const redisUs = ((await cpuOf(redis)) - before) / all;
    const serviceUs = (user + system) / all;
    return [
      ["commands to Redis for each open call, a second", `${perSecond} (one EVALSHA every ${leaseMs / 3_000} s)`],
      ["CPU of Redis for one", `${redisUs.toFixed(0)} µs`],
      ["CPU of the service for one", `${serviceUs.toFixed(0)} µs`],
      ["for 1,000 open streams, of one core", `${((1_000 * perSecond * (redisUs + serviceUs)) / 10_000).toFixed(1)} %`],
    ];
  } finally {
    redis.disconnect();
  }
}

/** CPU that Redis has used, in microseconds. */
async function cpuOf(redis: Redis): Promise<number> {
  const text = await redis.info("cpu");
  const seconds = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(text)?.[1] ?? 0);
  return (seconds("used_cpu_user") + seconds("used_cpu_sys")) * 1e6;
}
