import { once } from "node:events";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { ClientDisconnected, restartFailure } from "@modelgate/platform";
import { EventSink } from "../../src/responses/sockets/event-sink.ts";
import { connection } from "./socket-pair.ts";

const sinkOf = (socket: WebSocket, ending: AbortSignal) =>
  new EventSink(socket, { streamId: undefined, bufferedBytes: 1024, ending, onCreated: () => undefined });
const quiet = new AbortController().signal;

test("a response whose client disconnected before it began is ended immediately", async () => {
  await using open = await connection();
  const { socket, client } = open;
  client.close();
  await once(socket, "close");
  const sink = sinkOf(socket, quiet);
  expect([sink.isClosed, sink.ending.reason]).toEqual([true, expect.any(ClientDisconnected)]);
});

test("a response that begins during the shutdown is ended immediately", async () => {
  await using open = await connection();
  const failure = restartFailure();
  expect(sinkOf(open.socket, AbortSignal.abort(failure)).ending.reason).toBe(failure);
});

test("an open response ends with its connection, for the same reason", async () => {
  await using open = await connection();
  const [disconnected, interrupted, ending] = [sinkOf(open.socket, quiet), new AbortController(), restartFailure()];
  const sink = sinkOf(open.socket, interrupted.signal);
  interrupted.abort(ending);
  expect([sink.ending.reason, disconnected.ending.aborted]).toEqual([ending, false]);
  open.client.close();
  await once(open.socket, "close");
  expect([sink.ending.reason, disconnected.ending.reason]).toEqual([ending, expect.any(ClientDisconnected)]);
});

test("a response that has ended has no listeners", async () => {
  await using open = await connection();
  const before = open.socket.listenerCount("close");
  const sink = sinkOf(open.socket, quiet);
  sink.end();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  sink.watch({ closed: resolve });
  expect(await promise).toBe(true);
  expect([open.socket.listenerCount("close"), sink.ending.aborted]).toEqual([before, false]);
});
