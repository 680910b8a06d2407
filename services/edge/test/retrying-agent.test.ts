import { once } from "node:events";
import { createServer, request, type IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { listen } from "@modelgate/platform";
import { freePorts, startHttpServer } from "@modelgate/testkit";
import { RetryingAgent } from "../src/retrying-agent.ts";

async function post(port: number): Promise<number | undefined> {
  const outgoing = request({ port, host: "127.0.0.1", method: "POST", agent: new RetryingAgent({ keepAlive: false }) });
  outgoing.end("body");
  const [response]: IncomingMessage[] = await once(outgoing, "response");
  response?.resume();
  return response?.statusCode;
}

test("a service that is briefly unavailable is reached with one request", async () => {
  const [port = 0] = await freePorts(1);
  let requestCount = 0;
  // Its port is known before it listens.
  const server = createServer((_request, response) => {
    requestCount++;
    response.end();
  });
  const posted = post(port);
  setTimeout(() => server.listen(port, "127.0.0.1"), 200);
  expect(await posted).toBe(200);
  expect(requestCount).toBe(1);
  server.close();
});

test("a connection is kept for less time than the service keeps it, and a slow answer on it is still received", async () => {
  const server = await listen({
    host: "127.0.0.1",
    port: 0,
    drainMs: 1,
    handler: (_request, response) => void setTimeout(() => response.end("served"), 300),
  });
  const agent = new RetryingAgent({ keepAlive: true, maxAgeMs: Infinity });
  // A timeout that is longer than an idle connection lives, like the proxy's.
  const ask = async (timeoutMs: number): Promise<IncomingMessage> => {
    const outgoing = request({ port: server.port, host: "127.0.0.1", agent }).setTimeout(timeoutMs);
    outgoing.end();
    const [response]: IncomingMessage[] = await once(outgoing, "response");
    expect(outgoing.socket?.timeout).toBe(timeoutMs);
    if (response === undefined) throw new Error("no response");
    response.resume();
    await once(response, "close");
    await setImmediate(); // the connection is idle again
    return response;
  };
  for (const timeoutMs of [600_000, 500_000]) {
    const { headers } = await ask(timeoutMs);
    const kept = Number(/^timeout=(\d+)$/.exec(String(headers["keep-alive"]))?.[1]) * 1_000;
    const free = Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []);
    expect(free.map(({ timeout }) => timeout)).toEqual([60_000]);
    expect(kept).toBeGreaterThan(60_000);
  }
  agent.destroy();
  await server.drain();
});

test("a service that stays unavailable is reported", async () => {
  const [port = 0] = await freePorts(1);
  await expect(post(port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("an address that neither accepts nor refuses connections times out", async () => {
  const agent = new RetryingAgent({ keepAlive: false, maxConnectMs: 50 });
  const outgoing = request({ host: "silent.example", lookup: () => undefined, agent });
  outgoing.end();
  await expect(once(outgoing, "response")).rejects.toThrow("no connection in time");
});

test.each([
  ["again", Infinity, 1],
  ["only once if it is too old", 0, 2],
])("a connection is used %s", async (_, maxAgeMs, connectionCount) => {
  await using server = await startHttpServer((_request, response) => response.end());
  let connections = 0;
  server.server.on("connection", () => connections++);
  const agent = new RetryingAgent({ keepAlive: true, maxAgeMs });
  for (let call = 0; call < 2; call++) {
    const outgoing = request({ port: server.port, host: "127.0.0.1", agent }).end();
    const [response]: IncomingMessage[] = await once(outgoing, "response");
    response?.resume();
    await once(outgoing, "close");
    await setImmediate(); // the connection is idle again, or closed
  }
  expect(connections).toBe(connectionCount);
  agent.destroy();
});
