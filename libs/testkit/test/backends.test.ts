import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectNats } from "nats";
import { describe, expect, test } from "vitest";
import { startLocalBackends, type Backends } from "../src/backends.ts";
import { canStartContainers, startContainers } from "../src/containers.ts";
import { redisCommand } from "../src/redis-command.ts";
import { useSharedContainers } from "../src/shared-containers.ts";

const docker = await canStartContainers();
if (!docker) process.stdout.write("containers: not tried, no Docker engine answers with (or can pull) the images\n");
const ways: readonly (readonly [string, () => Promise<Backends>])[] = [
  ["local servers", startLocalBackends],
  ...(docker ? [["containers", startContainers] as const] : []),
];

test.each(ways)("%s provide a Redis and a NATS with JetStream that answer", async (_, start) => {
  await using backends = await start();
  expect(await replyTo(backends.redisUrl, "PING\r\n")).toBe("+PONG\r\n");
  const greeting = await replyTo(backends.natsUrl, "");
  expect(greeting).toMatch(/^INFO \{.*"jetstream":true/);
});

test("a local server keeps its address and data after a kill, and continues after a pause", async () => {
  await using backends = await startLocalBackends();
  const fsync = await redisCommand(Number(new URL(backends.redisUrl).port), "CONFIG GET appendfsync");
  expect(fsync).toContain("\r\nno\r\n");
  await replyTo(backends.redisUrl, "SET kept 1\r\n");
  await backends.redis.kill();
  await expect(replyTo(backends.redisUrl, "PING\r\n")).rejects.toThrow("ECONNREFUSED");
  await backends.redis.start();
  expect(await replyTo(backends.redisUrl, "GET kept\r\n")).toBe("$1\r\n1\r\n");
  backends.redis.pause();
  const reply = replyTo(backends.redisUrl, "PING\r\n");
  backends.redis.resume();
  expect(await reply).toBe("+PONG\r\n");
});

describe.skipIf(!docker)("containers that a worker's test files share", () => {
  const portOf = ({ redisUrl }: Backends): number => Number(new URL(redisUrl).port);

  /** Uses containers as a test file does. Returns their address. */
  async function useOnce(work: (backends: Backends) => Promise<unknown> = () => Promise.resolve()): Promise<string> {
    await using backends = await useSharedContainers();
    await work(backends);
    return `${backends.redisUrl} ${backends.natsUrl}`;
  }

  test("have no data of the file before", async () => {
    const first = await useOnce(async (backends) => {
      await redisCommand(portOf(backends), "SET left behind");
      await redisCommand(portOf(backends), "SCRIPT LOAD 'return 1'");
      const nats = await connectNats({ servers: backends.natsUrl });
      await (await nats.jetstreamManager()).streams.add({ name: "LEFT", subjects: ["left"] });
      await nats.close();
    });
    const second = await useOnce(async (backends) => {
      expect(await redisCommand(portOf(backends), "DBSIZE")).toBe(":0\r\n");
      expect(await redisCommand(portOf(backends), "INFO memory")).toContain("number_of_cached_scripts:0");
      const nats = await connectNats({ servers: backends.natsUrl });
      expect(await (await nats.jetstreamManager()).streams.names().next()).toEqual([]);
      await nats.close();
    });
    expect(second).toBe(first);
  });

  test("are different ones for two files at the same time", async () => {
    await useOnce(async ({ redisUrl, natsUrl }) => {
      expect(await useOnce()).not.toBe(`${redisUrl} ${natsUrl}`);
    });
  });

  test("are replaced after a file that has changed the configuration of Redis", async () => {
    const first = await useOnce((backends) => redisCommand(portOf(backends), "CONFIG SET maxmemory 100mb"));
    expect(await useOnce()).not.toBe(first);
  });

  test("are replaced after a file that has left connections", async () => {
    let socket: Socket | undefined;
    const first = await useOnce(async ({ natsUrl }) => {
      socket = connect(Number(new URL(natsUrl).port), "127.0.0.1");
      await once(socket, "data");
    });
    expect(await useOnce()).not.toBe(first);
    socket?.destroy();
  });
});

function replyTo(url: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(command));
    socket.once("data", (chunk: Buffer) => {
      resolve(chunk.toString());
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
