import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startScriptedServer, startSocketServer, type TestServer } from "@modelgate/testkit";
import { readText } from "../src/refused.ts";
import { NothingSent, openTransport, type Transport } from "../src/transport.ts";

/**
 * Vendor in a separate thread, which can close connections while the test blocks this thread's event loop. It answers
 * with the number of requests; at /deaf it closes the connection without an answer. For the message "destroy" or
 * "resetAndDestroy" it calls this method of every connection, and then increments the shared number.
 */
const vendor = `
  const { parentPort, workerData } = require("node:worker_threads");
  let requestCount = 0;
  const sockets = new Set();
  const server = require("node:http").createServer((request, response) => {
    request.resume();
    requestCount++;
    if (request.url === "/deaf") return void request.on("end", () => request.socket.destroy());
    response.end(String(requestCount));
  });
  server.on("connection", (socket) => sockets.add(socket.once("close", () => sockets.delete(socket))));
  parentPort.on("message", async (method) => {
    await pause(); // connections that clients have opened are accepted meanwhile
    await Promise.all(Array.from(sockets, (socket) => require("node:events").once(socket[method](), "close")));
    await pause(); // the clients' sockets are closed meanwhile
    Atomics.add(workerData, 0, 1);
    Atomics.notify(workerData, 0);
  });
  const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;
let worker: Worker;
const closings = new Int32Array(new SharedArrayBuffer(4));
let origin: string;
let transport: Transport;
beforeEach(async () => {
  worker = new Worker(vendor, { eval: true, workerData: closings });
  const [port] = await once(worker, "message");
  origin = `http://127.0.0.1:${port}`;
  transport = openTransport();
});
afterEach(async () => {
  await transport?.[Symbol.asyncDispose]();
  await worker?.terminate();
});

const ask = (path: string, body = "{}"): Promise<string> => askAt(new URL(path, origin).href, body);

const askAt = async (url: string, body = "{}"): Promise<string> => {
  const request = { url: new URL(url), method: "POST", headers: {}, timeoutMs: 5_000, proxy: undefined } as const;
  const answer = await transport.send({ ...request, body: Buffer.from(body) }, new AbortController().signal);
  const text = await readText(answer, 100);
  await setImmediate(); // the connection is idle again
  return text;
};

/** Blocks this thread until the vendor has closed its connections: the thread notices that only later. */
function closeConnections(method: "destroy" | "resetAndDestroy"): void {
  const before = Atomics.load(closings, 0);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a browser window
  worker.postMessage(method);
  Atomics.wait(closings, 0, before, 60_000);
}

/** Resets all connections just before the first byte of a request is written, for the next `times` requests. */
function resetUnderWrites(times: number): Disposable {
  let remaining = times;
  const reset = (): void => {
    if (remaining-- <= 0) return;
    closeConnections("resetAndDestroy");
  };
  subscribe("undici:client:sendHeaders", reset);
  return { [Symbol.dispose]: () => void unsubscribe("undici:client:sendHeaders", reset) };
}

test("an idle connection that the vendor closed is not used: each call is sent once", async () => {
  const answers = [];
  for (let at = 0; at < 5; at++) {
    answers.push(await ask("/"));
    closeConnections("destroy");
  }
  expect(answers).toEqual(["1", "2", "3", "4", "5"]);
});

describe("parts of an answer that arrive together", () => {
  const parts = ["one ", "two ", "three "];
  const chunks = parts.map((part) => `${part.length}\r\n${part}\r\n`).join("");
  let server: TestServer;
  beforeEach(async () => {
    const answer = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`;
    server = await startSocketServer((socket) => void socket.once("data", () => socket.write(answer)));
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const answered = (): ReturnType<Transport["send"]> => {
    const url = new URL(server.url);
    return transport.send(
      { url, method: "GET", headers: {}, timeoutMs: 5_000, proxy: undefined },
      new AbortController().signal,
    );
  };

  test("are passed on as one", async () => {
    const answer = await answered();
    const firstPart = Promise.withResolvers<string>();
    answer.pipe({ data: (chunk) => firstPart.resolve(chunk.toString()), end: () => undefined, fail: () => undefined });
    expect(await firstPart.promise).toBe(parts.join(""));
    answer.abort();
  });

  test("end only the exchange if they are not accepted", async () => {
    const answer = await answered();
    const broken = Promise.withResolvers<Error>();
    const data = (): never => {
      throw new Error("not taken");
    };
    answer.pipe({ data, end: () => undefined, fail: broken.resolve });
    expect(await broken.promise).toMatchObject({ message: "not taken" });
  });
});

test("an answer whose last parts are not accepted fails: it does not count as complete", async () => {
  const request = {
    url: new URL("/", origin),
    method: "POST",
    headers: {},
    timeoutMs: 5_000,
    proxy: undefined,
  } as const;
  const answer = await transport.send(request, new AbortController().signal);
  const endReached = Promise.withResolvers<string>();
  const data = (): never => {
    throw new Error("not taken");
  };
  answer.pipe({ data, end: () => endReached.resolve("whole"), fail: ({ message }) => endReached.resolve(message) });
  expect(await endReached.promise).toBe("not taken");
});

test("above the maximum of addresses, the connections of the least recently used one are closed", async () => {
  let connections = 0;
  await using servers = new AsyncDisposableStack();
  const starts = Array.from({ length: 257 }, () => startScriptedServer({ "/": { body: "ok" } }));
  const [first = "", ...others] = (await Promise.all(starts)).map((vendor) => {
    servers.use(vendor).server.on("connection", () => connections++);
    return vendor.url;
  });
  await Promise.all([first, ...others.slice(0, -1)].map((url) => askAt(url)));
  await askAt(first);
  const before = connections;
  await askAt(others.at(-1) ?? "");
  await askAt(first);
  expect(connections).toBe(before + 1);
});

test.each([
  ["small", 2],
  ["large", 8_000_000],
])(
  "a reused connection that closes before the first byte of a %s request: the request is sent once more",
  async (_, size) => {
    expect(await ask("/")).toBe("1");
    using _resets = resetUnderWrites(1);
    expect(await ask("/", " ".repeat(size))).toBe("2");
  },
);

test("a request is sent once more, not twice: then the error reports that nothing was sent", async () => {
  expect(await ask("/")).toBe("1");
  using _resets = resetUnderWrites(2);
  await expect(ask("/")).rejects.toBeInstanceOf(NothingSent);
  expect(await ask("/")).toBe("2");
});

test("a request that the vendor may have received is not sent again, even on a reused connection", async () => {
  expect(await ask("/")).toBe("1");
  const failure = await ask("/deaf").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(failure).not.toBeInstanceOf(NothingSent);
  expect(await ask("/")).toBe("3");
});

test("an exchange that is aborted while connecting ends immediately, and nothing was sent", async () => {
  let connections = 0;
  // Does not answer the TLS handshake.
  await using deaf = await startSocketServer(() => connections++, "https");
  const connected = once(deaf.server, "connection");
  const aborter = new AbortController();
  const state = { isSent: false };
  const request = {
    url: new URL(deaf.url),
    method: "POST",
    headers: {},
    timeoutMs: 60_000,
    proxy: undefined,
    body: Buffer.from("{}"),
    state,
  } as const;
  const pendingAnswer = transport.send(request, aborter.signal);
  await connected;
  aborter.abort();
  await expect(pendingAnswer).rejects.toThrow("ended by the gateway");
  expect([state.isSent, connections]).toEqual([false, 1]);
});
