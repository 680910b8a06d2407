import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { Side } from "./side.ts";

let server: WebSocketServer;
beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
});
afterEach(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

/** A side, and the other end of its connection; what happens on the side is written down. */
async function connected(other: { readonly autoPong?: boolean } = {}) {
  const { port } = server.address() as AddressInfo;
  const arrived = once(server, "connection");
  const end = new WebSocket(`ws://127.0.0.1:${port}`, { ...other, perMessageDeflate: false });
  const [[socket]] = await Promise.all([arrived, once(end, "open")]);
  return { ...sideOf(socket), end, socket };
}

function sideOf(socket: WebSocket) {
  const told: string[] = [];
  const side: Side = new Side(socket, 1_024, {
    message: ({ data }) => {
      told.push(data.toString());
      if (data.toString() === "wait") side.pause("test");
    },
    closed: (code, reason) => told.push(`closed ${code} ${reason}`),
    drained: () => told.push("drained"),
  });
  return { side, told };
}

test("an end that answers no ping is gone after three; any sign of life counts", async () => {
  const { side, end, socket } = await connected({ autoPong: false });
  expect([side.ping(), side.ping(), side.ping(), side.ping()]).toEqual([true, true, true, false]);
  const heard = once(socket, "message");
  end.send("here");
  await heard;
  expect([side.ping(), side.ping(), side.ping(), side.ping()]).toEqual([true, true, true, false]);
  const pong = once(socket, "pong");
  end.pong();
  await pong;
  expect(side.ping()).toBe(true);
});

test("while nothing is read of an end, it is not held against it that nothing is heard", async () => {
  const { side } = await connected({ autoPong: false });
  side.pause("slow");
  expect(Array.from({ length: 9 }, () => side.ping())).toEqual(Array.from({ length: 9 }, () => true));
});

test("a message may hold up those after it; they come in their order when every reason is gone", async () => {
  const { side, end, told } = await connected();
  for (const text of ["one", "wait", "two", "wait", "three"]) end.send(text);
  await vi.waitFor(() => expect(told).toEqual(["one", "wait"]));
  side.pause("another");
  side.resume("test");
  expect(told).toEqual(["one", "wait"]);
  side.resume("another");
  await vi.waitFor(() => expect(told).toEqual(["one", "wait", "two", "wait"]));
  side.resume("test");
  await vi.waitFor(() => expect(told.at(-1)).toBe("three"));
});

/** A short message of a client's, or its good-bye, as it stands on the wire. */
function frame(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

test("what waits when the connection is over can still be had, in its order", async () => {
  const { port } = server.address() as AddressInfo;
  const arrived = once(server, "connection");
  const asked = request({
    port,
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    },
  });
  asked.end();
  const [[socket], [, wire]] = await Promise.all([arrived, once(asked, "upgrade")]);
  const { side, told } = sideOf(socket);
  const closed = once(socket, "close");
  wire.resume(); // else it never hears of the end
  // In one piece, so that it is read at once: the first message holds up those after it, and cannot hold up the end.
  const messages = ["wait", "two", "wait", "three"].map((text) => frame(1, Buffer.from(text)));
  wire.write(Buffer.concat([...messages, frame(8, Buffer.from([0x03, 0xe8]))]));
  await closed;
  expect(told).toEqual(["wait", "closed 1000 "]);
  side.flush();
  expect(told.slice(2)).toEqual(["two", "wait", "three"]);
});

test("too much for an end to take is told, and again when it is gone", async () => {
  const { side, end, told } = await connected();
  end.pause();
  const before = Date.now();
  while (!side.full) side.send({ data: Buffer.alloc(65_536), binary: true });
  expect(side.stalledMs(before + 60_000)).toBeGreaterThan(0);
  end.resume();
  await once(end, "message");
  while (side.full) await new Promise((next) => setImmediate(next));
  expect(told).toEqual(["drained"]);
  expect(side.stalledMs(Date.now() + 60_000)).toBe(0);
});
