import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePorts, openSlowProxy, startNats, until } from "@modelgate/testkit";
import { createLogger, openBus, type Bus } from "../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "modelgate-streams-"));
let port = 0;
let server: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
const start = () => startNats({ port, folder, keep: true });
beforeAll(async () => {
  [port = 0] = await freePorts(1);
  server = await start();
  bus = await openBus(server.url, createLogger("test", "silent").log, { ackMs: 1_000 });
});
afterAll(async () => {
  await bus?.[Symbol.asyncDispose]();
  await server?.child.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function deleteStreams(): Promise<void> {
  const connection = await connect({ servers: server.url });
  const { streams } = await connection.jetstreamManager();
  for (const name of ["USAGE", "TASKS", "CREDITS"]) await streams.delete(name);
  await connection.close();
}

/** Publishes an event, and retries until it is stored, as the outbox does. */
async function publishWithRetries(id: string, to = bus): Promise<void> {
  await until(`${id} to be stored`, () =>
    to.publish([{ subject: "usage.v1.text", body: id, id }]).then(
      ([result]) => result === undefined,
      () => false,
    ),
  );
}

test("streams that are deleted at run time are created again, and reading continues", async () => {
  const delivered: string[] = [];
  const { promise: published, resolve: continueReading } = Promise.withResolvers<void>();
  await using _reader = bus.consume("USAGE", "reader", 100, async (bodies) => {
    delivered.push(...bodies);
    // A reader that waits for events notices the loss too. It must not, before the event is published.
    await published;
  });
  await publishWithRetries("one");
  await until("it to be read", () => delivered.includes("one"));
  await deleteStreams();
  const results = await bus.publish([{ subject: "usage.v1.text", body: "two", id: "two" }]).finally(continueReading);
  expect(results).toEqual([expect.any(Error)]);
  expect(bus.connected).toBe(false);
  await publishWithRetries("three");
  expect(bus.connected).toBe(true);
  await until("the later events to be read", () => delivered.includes("three"));
});

test("a NATS that restarts without its storage gets its streams again", async () => {
  const delivered: string[] = [];
  await using _reader = bus.consume("USAGE", "other", 100, async (bodies) => void delivered.push(...bodies));
  await publishWithRetries("before");
  server.child.signal("SIGKILL");
  await server.child.ended;
  await until("it to be seen", () => !bus.connected);
  rmSync(folder, { recursive: true, force: true });
  server = await start();
  await publishWithRetries("after");
  await until("it to be read", () => delivered.includes("after"));
});

test("messages that were fetched and not handled yet are not lost with their stream", async () => {
  const handled: string[] = [];
  const state = { refused: 0, refuses: true };
  await using _reader = bus.consume("USAGE", "slow", 100, async (bodies) => {
    if (state.refuses && bodies.includes("fetched")) {
      state.refused++;
      throw new Error("the books are unavailable");
    }
    handled.push(...bodies);
  });
  await publishWithRetries("fetched");
  await until("it to be refused", () => state.refused > 0);
  await deleteStreams();
  const [refused] = [state.refused];
  await until("it to be refused again", () => state.refused > refused);
  state.refuses = false;
  await until("it to be handled", () => handled.includes("fetched"));
});

test("a batch that is handled while its stream is recreated does not delay the next one", async () => {
  const delivered: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using _reader = bus.consume("USAGE", "held", 100, async (bodies) => {
    delivered.push(...bodies);
    if (bodies.includes("first")) await released;
  });
  await publishWithRetries("first");
  await until("it to be delivered", () => delivered.includes("first"));
  await deleteStreams();
  await publishWithRetries("second");
  release();
  // A request to the deleted consumer would last 30 s, because NATS does not answer it.
  await until("the next event to be delivered", () => delivered.includes("second"), 25_000);
});

test("a connection on which NATS no longer answers is replaced, as after its host has vanished", async () => {
  await using proxy = await openSlowProxy(port);
  const limits = { ackMs: 200, pingMs: 50 };
  await using through = await openBus(`nats://127.0.0.1:${proxy.port}`, createLogger("test", "silent").log, limits);
  await publishWithRetries("answered", through);
  proxy.holdAnswers("open");
  await publishWithRetries("unanswered", through);
  expect(through.connected).toBe(true);
});
