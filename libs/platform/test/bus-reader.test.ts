import { Readable } from "node:stream";
import { connect } from "nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocalBackends, until, type LocalBackends } from "@modelgate/testkit";
import { BusReader } from "../src/bus-reader.ts";
import { createLogger, openBus, type Bus } from "../src/index.ts";

let backends: LocalBackends;
let bus: Bus;
beforeAll(async () => {
  backends = await startLocalBackends();
  bus = await openBus(backends.natsUrl, createLogger("test", "silent").log);
});
afterAll(async () => {
  await bus?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
});

const messages = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ subject: "usage.v1.text", body: `${from + at}`, id: `id-${from + at}` }));

test("a batch is stored in order, a repetition once, and each message without a stream is reported", async () => {
  await until("NATS to be available", () => bus.connected);
  const handled: string[] = [];
  await using _reader = bus.consume("USAGE", "order", 100, async (bodies) => void handled.push(...bodies));
  expect(await bus.publish(messages(300))).toEqual(Array.from({ length: 300 }, () => undefined));
  expect(await bus.publish(messages(3, 298))).toEqual([undefined, undefined, undefined]);
  await until("all to be read", () => handled.length >= 301);
  expect(handled).toEqual(messages(301).map(({ body }) => body));
  const [kept, lost] = await bus.publish([...messages(1, 500), { subject: "nowhere", body: "", id: "x" }]);
  expect(kept).toBeUndefined();
  expect(lost).toBeInstanceOf(Error);
});

test("a batch that its reader returned is delivered again together, not message by message", async () => {
  await until("NATS to be available", () => bus.connected);
  await bus.publish(messages(60, 1_000));
  const stored = (await bus.readProgress("USAGE", "again"))?.last ?? 0;
  const returned: number[] = [];
  const failing = bus.consume("USAGE", "again", 100, (bodies) => {
    returned.push(bodies.length);
    return Promise.reject(new Error("the books are unavailable"));
  });
  await until("a batch to arrive", () => returned.length > 0);
  await failing[Symbol.asyncDispose]();
  const batches: number[] = [];
  await using _reader = bus.consume("USAGE", "again", 100, async (bodies) => void batches.push(bodies.length));
  await until("all to be read", async () => (await bus.readProgress("USAGE", "again"))?.handled === stored);
  expect(batches.length).toBeLessThan(5);
});

test("NATS hears of a batch whose handler takes long, so that it is not delivered to another reader", async () => {
  const extended = Promise.withResolvers<string>();
  const acknowledged = Promise.withResolvers<void>();
  const message = {
    info: { pending: 0 },
    string: () => "slow",
    working: () => extended.resolve("extended"),
    ack: () => acknowledged.resolve(),
  };
  const batches = [[message]];
  const consumer = {
    async fetch() {
      const [batch = []] = batches.splice(0, 1);
      return Object.assign(Readable.from(batch), { stop: () => undefined });
    },
    info: async () => ({ num_pending: 0 }),
  };
  const access = {
    connection: { jetstreamManager: async () => ({ consumers: { add: async () => undefined } }) },
    jetstream: { consumers: { get: async () => consumer } },
  };
  await using _reader = new BusReader({
    stream: "USAGE",
    durable: "slow",
    log: createLogger("test", "silent").log,
    gatherMs: 0,
    redeliverAfterMs: 20,
    handle: () => extended.promise.then(() => undefined),
    access: () => access as never,
    onStreamMissing: () => undefined,
  });
  await acknowledged.promise;
  expect(await extended.promise).toBe("extended");
});

test("a reader of an idle stream stops immediately", async () => {
  await until("NATS to be available", () => bus.connected);
  const other = await openBus(backends.natsUrl, createLogger("test", "silent").log);
  await until("NATS to be available", () => other.connected);
  const reader = other.consume("TASKS", "rest", 100, () => Promise.resolve());
  const connection = await connect({ servers: backends.natsUrl });
  const { consumers } = await connection.jetstreamManager();
  await until("the reader to wait", async () => {
    const consumer = await consumers.info("TASKS", "rest").catch(() => undefined);
    return consumer !== undefined && consumer.num_waiting > 0;
  });
  await connection.close();
  await reader[Symbol.asyncDispose](); // would exceed the test's timeout if it waited for the current request
  await other[Symbol.asyncDispose]();
}, 25_000);
