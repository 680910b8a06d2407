import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canStartCluster, startTlsBackends, until, type TlsBackends } from "@modelgate/testkit";
import { openBus, openRedis, StartError } from "../src/index.ts";
import { openContentRedis } from "../src/redis.ts";

const log = pino({ level: "silent" });

const addresses = ["redisUrl", "clusterUrl", "sentinelUrl"] as const;
let backends: TlsBackends;
beforeAll(async () => {
  if (canStartCluster) backends = await startTlsBackends();
});
afterAll(() => backends?.[Symbol.asyncDispose]());

describe.skipIf(!canStartCluster)("a server with a trusted certificate", () => {
  const trusted = getCACertificates("default");
  beforeAll(() => setDefaultCACertificates([...trusted, readFileSync(backends.authorityFile, "utf8")]));
  afterAll(() => setDefaultCACertificates(trusted));

  test.each(addresses)("Redis at a %s is used", async (kind) => {
    const redis = await openRedis(backends[kind], log);
    expect(await redis.ping()).toBe("PONG");
    redis.disconnect();
  });

  test("NATS is used", async () => {
    await using bus = await openBus(backends.natsUrl, log);
    expect(await until("the connection", () => bus.connected)).toBe(true);
  });
});

describe.skipIf(!canStartCluster)("a server with an untrusted certificate", () => {
  test.each(addresses)("Redis at a %s: the start fails immediately, with the reason", async (kind) => {
    const opening = openRedis(backends[kind], log);
    await expect(opening).rejects.toThrow(StartError);
    await expect(opening).rejects.toThrow(
      /^Redis's certificate is refused: .*certificate.* NODE_EXTRA_CA_CERTS to the file/,
    );
  });

  test.each(addresses)("the optional Redis of content at a %s: the start fails immediately", async (kind) => {
    await expect(openContentRedis(backends[kind], log, 1_000)).rejects.toThrow(/^Redis's certificate is refused/);
  });

  test("NATS: the start fails immediately, with the reason", async () => {
    const opening = openBus(backends.natsUrl, log);
    await expect(opening).rejects.toThrow(StartError);
    await expect(opening).rejects.toThrow(
      /^NATS's certificate is refused: .*certificate.* NODE_EXTRA_CA_CERTS to the file/,
    );
  });

  test("an unavailable NATS does not abort the start", async () => {
    await using bus = await openBus("tls://127.0.0.1:1", log);
    expect(bus.connected).toBe(false);
  });

  test.each(["rediss://127.0.0.1:1", "rediss+cluster://127.0.0.1:1", "rediss+sentinel://127.0.0.1:1/master"])(
    "an unavailable Redis of content does not abort the start: %s",
    async (url) => {
      const redis = await openContentRedis(url, log, 1_000);
      expect(redis.status).not.toBe("ready");
      redis.disconnect();
    },
  );
});
