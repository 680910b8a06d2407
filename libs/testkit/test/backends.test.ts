import { connect } from "node:net";
import { expect, test } from "vitest";
import { canStartContainers, startContainers } from "../src/containers.ts";
import { startLocalBackends, type Backends } from "../src/backends.ts";

const docker = await canStartContainers();
if (!docker) process.stdout.write("containers: not tried, no Docker engine answers with (or can pull) the images\n");
const ways: readonly (readonly [string, () => Promise<Backends>])[] = [
  ["servers of this machine", startLocalBackends],
  ...(docker ? [["containers", startContainers] as const] : []),
];

test.each(ways)("%s provide a Redis and a NATS with JetStream that answer", async (_, start) => {
  await using backends = await start();
  expect(await says(backends.redisUrl, "PING\r\n")).toBe("+PONG\r\n");
  const greeting = await says(backends.natsUrl, "");
  expect(greeting).toMatch(/^INFO \{.*"jetstream":true/);
});

test("a local server keeps its address after a kill, and continues after a pause", async () => {
  await using backends = await startLocalBackends();
  await says(backends.redisUrl, "SET kept 1\r\n");
  await backends.redis.kill();
  await expect(says(backends.redisUrl, "PING\r\n")).rejects.toThrow("ECONNREFUSED");
  await backends.redis.start();
  expect(await says(backends.redisUrl, "PING\r\n")).toBe("+PONG\r\n");
  backends.redis.pause();
  const asked = says(backends.redisUrl, "PING\r\n");
  backends.redis.resume();
  expect(await asked).toBe("+PONG\r\n");
});

/** The first words of a server, after what it was sent. */
function says(url: string, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(words));
    socket.once("data", (chunk: Buffer) => {
      resolve(chunk.toString());
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
