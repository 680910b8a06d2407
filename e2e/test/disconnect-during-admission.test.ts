import { once } from "node:events";
import { request } from "node:http";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { channel, config as baseConfig, hello, keys, post } from "./suite-client.ts";
import { handshake } from "./realtime-client.ts";

const config = {
  ...baseConfig,
  models: { ...baseConfig.models, live: { kind: "realtime", price: { output: 10 } } },
  channels: [...baseConfig.channels, channel("voice", ["live"])],
};

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ config });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/**
 * Time in ms for which Redis is paused: long enough for a client to disconnect, and shorter than the edge's timeout for
 * Redis.
 */
const pausedMs = 500;

test("a WebSocket that is reset during admission releases its seat", async () => {
  // This call makes the edge cache the key. In the next call, the edge's first command to Redis is then the admission.
  expect((await post(suite, hello("chat"), keys.single)).status).toBe(200);
  const redis = new Redis(suite.backends.redisUrl);
  await redis.client("PAUSE", pausedMs, "ALL");
  const opening = request(`${suite.edgeUrl}/v1/realtime?model=live`, {
    headers: { ...handshake, authorization: `Bearer ${keys.single}` },
  });
  opening.on("error", () => undefined).end();
  const [socket] = await once(opening, "socket");
  await once(socket, "connect");
  await until("the edge's request", async () => socket.bytesWritten > 0);
  socket.resetAndDestroy();
  await redis.quit();
  const answer = await until("the seat to be released", async () => {
    const { status } = await post(suite, hello("chat"), keys.single);
    return status !== 429 && status;
  });
  expect(answer).toBe(200);
});
