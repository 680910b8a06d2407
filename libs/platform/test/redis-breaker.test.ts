import { once } from "node:events";
import type { Socket } from "node:net";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSocketServer, type TestServer } from "@modelgate/testkit";
import { failureFrom, openRedis, openSubscriber } from "../src/index.ts";
import { onCommands } from "./redis-commands.ts";

const received: string[] = [];
const redisServer = { late: false };
const connections: Socket[] = [];
const unsentAnswers: (() => void)[] = [];
let server: TestServer;
beforeEach(async () => {
  connections.length = 0;
  server = await startSocketServer((socket) => {
    connections.push(socket);
    onCommands(socket, (name) => {
      received.push(name);
      unsentAnswers.push(() => socket.write(name === "info" ? "$17\r\nredis_version:7.0\r\n" : "+OK\r\n"));
      if (!redisServer.late) sendAnswers();
    });
  }, "redis");
});
afterEach(() => server?.[Symbol.asyncDispose]());
function sendAnswers(): void {
  for (const answer of unsentAnswers.splice(0)) answer();
}
test("after Redis has become slow, no commands are sent until it answers again", async () => {
  const redis = await openRedis(server.url, pino({ level: "silent" }), 100);
  expect(await redis.get("a")).toBe("OK");
  redisServer.late = true;
  const timedOut = await redis.get("b").catch((error: unknown) => error);
  expect(timedOut).toMatchObject({ message: expect.stringContaining("timed out") });
  received.length = 0;
  const refusals = await Promise.allSettled([
    ...Array.from({ length: 50 }, () => redis.get("c")),
    redis.pipeline().set("d", "1").set("e", "2").exec(),
  ]);
  expect(refusals.slice(0, 50).every(({ status }) => status === "rejected")).toBe(true);
  expect(received.filter((name) => name !== "ping")).toEqual([]);
  const refused = refusals.find(({ status }) => status === "rejected");
  redisServer.late = false;
  sendAnswers();
  for (let answer: unknown; answer !== "OK";)
    answer = await redis.get("f").catch(() => new Promise((go) => setTimeout(go, 20)));
  expect(received).toContain("get");

  // A missing answer becomes server_overloaded; an error reply of Redis is an internal error.
  await server[Symbol.asyncDispose]();
  await once(redis, "close");
  const disconnected = await redis.get("g").catch((error: unknown) => error);
  redis.disconnect();
  const closed = await redis.get("h").catch((error: unknown) => error);
  const reason = refused?.status === "rejected" ? refused.reason : undefined;
  for (const error of [timedOut, reason, disconnected, closed])
    expect(failureFrom(error)).toMatchObject({ code: "server_overloaded", status: 503, retryAfterSeconds: 1 });
  for (const error of [new Error("WRONGTYPE Operation"), new TypeError("no"), "text"])
    expect(failureFrom(error)).toMatchObject({ code: "internal_error" });
});

test("a busy process does not treat Redis as slow", async () => {
  const redis = await openRedis(server.url, pino({ level: "silent" }), 100);
  for (let round = 0; round < 3; round++) {
    const replies = Array.from({ length: 50 }, () => redis.get("a"));
    // This process reads nothing for longer than the commands' timeout.
    await new Promise((resolve) => setImmediate(resolve));
    for (const end = performance.now() + 250; performance.now() < end;);
    expect(await Promise.all(replies)).toEqual(replies.map(() => "OK"));
  }
  redis.disconnect();
});

test("if Redis never answers, the connection is replaced, as after its host has vanished", async () => {
  const redis = await openRedis(server.url, pino({ level: "silent" }), 100);
  connections.at(-1)?.removeAllListeners("data").resume();
  const again = new Promise((resolve) => redis.once("ready", resolve));
  await expect(redis.get("lost")).rejects.toThrow(/timed out|slow/);
  await again;
  await expect.poll(() => redis.get("a").catch(String)).toBe("OK");
  expect(connections.length).toBeGreaterThan(1);
  redis.disconnect();
});

test("a connection for subscriptions is replaced if Redis no longer answers, and is not while it answers", async () => {
  const redis = await openRedis(server.url, pino({ level: "silent" }), 100);
  const subscriber = openSubscriber(redis, 20).on("error", () => undefined);
  await vi.waitUntil(() => subscriber.status === "ready", 60_000);
  const opened = connections.length;
  received.length = 0;
  await vi.waitUntil(() => received.filter((name) => name === "ping").length > 5, 60_000);
  expect(connections).toHaveLength(opened);
  connections.at(-1)?.removeAllListeners("data").resume();
  await vi.waitUntil(() => connections.length > opened && subscriber.status === "ready", 60_000);
  subscriber.disconnect();
  redis.disconnect();
});
