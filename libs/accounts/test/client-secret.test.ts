import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import { keyDigest } from "../src/tokens/key.ts";
import { newClientSecret } from "../src/tokens/client-secret.ts";
import { findToken, makeToken } from "../src/tokens/token.ts";

let backends: LocalBackends;
let redis: Redis;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = new Redis(backends.redisUrl);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

function make(accountId: string, nowMs: number, lifetimeSeconds = 600): Promise<string> {
  const { token } = makeToken("sk-owner-0123456789abcdef", { accountId, group: "default" });
  const expiresAt = new Date(nowMs + lifetimeSeconds * 1_000).toISOString();
  const request = { token, models: ["live"], expiresAt, lifetimeSeconds, settings: "{}" };
  return newClientSecret({ redis, content: redis }, request, nowMs);
}

test("an account has at most 1,000 client secrets that have not expired, however many are requested together", async () => {
  const now = Date.now();
  const results = await Promise.allSettled(
    Array.from({ length: 1_010 }, (_, at) => make("many", now, at < 5 ? 60 : 600)),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1_000);
  await expect(make("many", now)).rejects.toMatchObject({ code: "content_limit_exceeded", status: 429 });
  expect(await findToken(redis, keyDigest(await make("another", now)))).toMatchObject({ accountId: "another" });
  const later = now + 60_001;
  for (let at = 0; at < 5; at++) await make("many", later);
  await expect(make("many", later)).rejects.toMatchObject({ code: "content_limit_exceeded" });
});
