import { once } from "node:events";
import { request } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { maxStepBytes } from "@modelgate/formats/json";
import { startWebSocketServer, type WebSocketTestServer } from "@modelgate/testkit";
import { WebSocket } from "ws";
import { Side } from "../src/side.ts";

const limits = { bufferedBytes: 1_024, stallMs: 60_000, pingMs: 25_000 };

let server: WebSocketTestServer;
beforeEach(async () => {
  server = await startWebSocketServer();
});
afterEach(() => server?.[Symbol.asyncDispose]());

/** Returns a side, the other end of its connection, and a record of the side's events. */
async function connected(other: { readonly autoPong?: boolean } = {}, check?: (data: Buffer) => Promise<void>) {
  const arrived = once(server.sockets, "connection");
  const end = new WebSocket(server.url, { ...other, perMessageDeflate: false });
  const [[socket]] = await Promise.all([arrived, once(end, "open")]);
  return { ...sideOf(socket, check), end, socket };
}

function sideOf(socket: WebSocket, check?: (data: Buffer) => Promise<void>) {
  const events: string[] = [];
  const side: Side = new Side(socket, limits, {
    message: ({ data }) => {
      events.push(data.toString());
      if (data.toString() === "wait") side.pause("test");
      if (data.toString() === "long") for (const end = performance.now() + 11; performance.now() < end;);
    },
    closed: (code, reason) => events.push(`closed ${code} ${reason}`),
    drained: () => events.push("drained"),
    ...(check === undefined ? {} : { check }),
    refused: (error) => events.push(`refused: ${String(error)}`),
  });
  return { side, events };
}

/** Ticks a side this number of times, each after the interval of a ping. */
function tickTimes(side: Side, times: number, from = Date.now()): number {
  let now = from;
  for (let at = 0; at < times; at++) side.tick((now += limits.pingMs));
  return now;
}

test("a side that does not answer is disconnected after three pings; any traffic counts", async () => {
  const { side, end, socket } = await connected({ autoPong: false });
  let now = tickTimes(side, 3);
  const received = once(socket, "message");
  end.send("here");
  await received;
  now = tickTimes(side, 3, now);
  const pong = once(socket, "pong");
  end.pong();
  await pong;
  now = tickTimes(side, 3, now);
  side.tick(now + limits.pingMs - 1);
  expect(side.isOpen).toBe(true);
  tickTimes(side, 1, now);
  expect(side.isOpen).toBe(false);
});

test("while a side is paused, its silence does not count", async () => {
  const { side } = await connected({ autoPong: false });
  side.pause("slow");
  const now = tickTimes(side, 9);
  side.resume("slow");
  tickTimes(side, 3, now);
  expect(side.isOpen).toBe(true);
});

test("a message may delay later ones; they are delivered in order afterwards", async () => {
  const { side, end, events } = await connected();
  for (const text of ["one", "wait", "two", "wait", "three"]) end.send(text);
  await vi.waitFor(() => expect(events).toEqual(["one", "wait"]), 60_000);
  side.pause("another");
  side.resume("test");
  expect(events).toEqual(["one", "wait"]);
  side.resume("another");
  await vi.waitFor(() => expect(events).toEqual(["one", "wait", "two", "wait"]), 60_000);
  side.resume("test");
  await vi.waitFor(() => expect(events.at(-1)).toBe("three"), 60_000);
});

/** Returns a short masked frame of a client. */
function frame(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

test("waiting messages can be read after the connection has ended, in order", async () => {
  const arrived = once(server.sockets, "connection");
  const opening = request(server.url, {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    },
  });
  opening.end();
  const [[socket], [, wire]] = await Promise.all([arrived, once(opening, "upgrade")]);
  const { side, events } = sideOf(socket);
  const closed = once(socket, "close");
  wire.resume(); // otherwise it does not get the end
  // The frames are read together. The first message delays the others, but also the close.
  const messages = ["wait", "two", "wait", "three"].map((text) => frame(1, Buffer.from(text)));
  wire.write(Buffer.concat([...messages, frame(8, Buffer.from([0x03, 0xe8]))]));
  await closed;
  expect(events).toEqual(["wait", "closed 1000 "]);
  side.flush();
  expect(events.slice(2)).toEqual(["two", "wait", "three"]);
});

test("a full buffer of a side is reported, and again when it is empty; a side that never reads is disconnected", async () => {
  const { side, end, events } = await connected();
  end.pause();
  const startedAt = Date.now();
  while (!side.isFull) side.send({ data: Buffer.alloc(65_536), binary: true });
  side.tick(startedAt + limits.stallMs);
  expect(side.isOpen).toBe(true);
  end.resume();
  await once(end, "message");
  while (side.isFull) await new Promise((next) => setImmediate(next));
  expect(events).toEqual(["drained"]);
  side.tick(Date.now() + limits.stallMs + 1);
  expect(side.isOpen).toBe(true);
  end.pause();
  while (!side.isFull) side.send({ data: Buffer.alloc(65_536), binary: true });
  side.tick(Date.now() + limits.stallMs + 1);
  expect(side.isOpen).toBe(false);
});

test("a side that does not read the answers to its messages is not read on, and loses none of them", async () => {
  const { side, end, socket } = await connected();
  const answers: string[] = [];
  end.on("message", (data: Buffer) => answers.push(data.toString().trim()));
  end.pause();
  let sent = 0;
  socket.on("message", () => {
    side.send({ data: Buffer.from(`${sent++}`.padEnd(65_536)), binary: false });
    side.awaitReader();
  });
  // Ends only if the gateway pauses the socket.
  while (!socket.isPaused) {
    end.send("wrong");
    await new Promise((next) => setImmediate(next));
  }
  end.resume();
  await vi.waitFor(() => expect(socket.isPaused).toBe(false), 60_000);
  await vi.waitFor(() => expect(answers).toHaveLength(sent), 60_000);
  expect(answers).toEqual(answers.map((_, at) => `${at}`));
});

test("a flood of messages lets other work go on, and is handled before the end of its connection", async () => {
  const { side, events, socket } = await connected();
  const texts = ["long", "long", "two", "long", "long", "three"];
  side.replay(texts.map((text) => ({ data: Buffer.from(text), binary: false })));
  socket.emit("close", 1006, Buffer.alloc(0));
  expect(events).toEqual(["long", "long"]);
  await new Promise((next) => setImmediate(next));
  expect(events.length).toBeLessThan(texts.length);
  await vi.waitFor(() => expect(events).toHaveLength(texts.length + 1), 60_000);
  expect(events).toEqual([...texts, "closed 1006 "]);
});

test("large messages are checked before they are passed on, in order, and a refused one is dropped", async () => {
  const checks: (() => void)[] = [];
  const { events, end } = await connected({}, async (data) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    checks.push(resolve);
    await promise;
    if (data.includes("wrong")) throw new Error("too many values");
  });
  const large = (word: string): string => word + " ".repeat(maxStepBytes);
  for (const message of ["first", large("second"), "third", large("wrong"), "fifth"]) end.send(message);
  await expect.poll(() => checks.length).toBe(1);
  expect(events).toEqual(["first"]);
  checks[0]?.();
  await expect.poll(() => checks.length).toBe(2);
  checks[1]?.();
  await expect.poll(() => events.at(-1)).toBe("fifth");
  const words = events.map((word) => word.trim());
  expect(words).toContain("refused: Error: too many values");
  expect(words.filter((word) => !word.startsWith("refused"))).toEqual(["first", "second", "third", "fifth"]);
});
