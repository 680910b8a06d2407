import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, get, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { listen } from "../src/http-server.ts";
import { createLogger } from "../src/log.ts";
import { answerMalformed } from "../src/malformed-request.ts";

async function ask(port: number, agent: Agent): Promise<IncomingMessage> {
  const [response]: IncomingMessage[] = await once(get({ port, host: "127.0.0.1", agent }), "response");
  if (response === undefined) throw new Error("no response");
  response.resume();
  await once(response, "end");
  return response;
}

test("a draining server serves one more request on a kept connection, with connection: close, and ends it", async () => {
  const server = await listen({
    host: "127.0.0.1",
    port: 0,
    drainMs: 60_000,
    handler: (_request, response) => void response.end("served"),
  });
  const keepAliveAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  const idle = new Agent({ keepAlive: true });
  expect((await ask(server.port, keepAliveAgent)).headers.connection).toBe("keep-alive");
  await ask(server.port, idle);
  const drained = server.drain();
  const last = await ask(server.port, keepAliveAgent);
  expect([last.statusCode, last.headers.connection]).toEqual([200, "close"]);
  // The drain does not wait for the idle connection, and no new connection is accepted.
  await drained;
  await expect(ask(server.port, new Agent())).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

/** Keep-alive timers of the server's connections, in the form of Linux. */
function probesOf(port: number): readonly string[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  const lines = readFileSync("/proc/net/tcp", "utf8").split("\n");
  const established = lines.filter((line) => line.slice(0, 21).includes(local) && / 01 \w+:\w+ 02:/.test(line));
  return established.map((line) => line.trim());
}

test("an idle connection stays open longer than clients are told, and is probed", async () => {
  const handler = (_: IncomingMessage, response: ServerResponse): void => void response.end();
  const server = await listen({ host: "127.0.0.1", port: 0, drainMs: 0, handler });
  using setTimeouts = vi.spyOn(Socket.prototype, "setTimeout");
  const agent = new Agent({ keepAlive: true });
  expect((await ask(server.port, agent)).headers["keep-alive"]).toBe("timeout=75");
  await vi.waitUntil(() => setTimeouts.mock.calls.some(([ms]) => ms === 620_000), 60_000);
  await vi.waitUntil(() => probesOf(server.port).length === 1, 60_000);
  agent.destroy();
  await server.drain();
});

const request = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

test("a client that does not read its answer is disconnected", async () => {
  const responses = Promise.withResolvers<ServerResponse>();
  const handler = (_: IncomingMessage, response: ServerResponse): void => {
    const fill = (): void => {
      while (response.write(Buffer.alloc(16 * 1024)));
      response.once("drain", fill);
    };
    fill();
    responses.resolve(response);
  };
  const server = await listen({ host: "127.0.0.1", port: 0, drainMs: 1_000, stalledMs: 100, handler });
  const client = connect(server.port, "127.0.0.1").pause();
  client.write(request);
  const response = await responses.promise;
  const closed = once(response, "close");
  // Bytes that the client sends do not show that it reads.
  const sending = setInterval(() => client.write("\r\n"), 20);
  client.on("error", () => undefined);
  await closed;
  clearInterval(sending);
  expect(response.writableFinished).toBe(false);
  client.destroy();
  await server.drain();
});

test("a client that waits for the rest of its answer stays connected", async () => {
  const handler = (_: IncomingMessage, response: ServerResponse): void => {
    response.write("first");
    setTimeout(() => response.end("last"), 200);
  };
  const server = await listen({ host: "127.0.0.1", port: 0, drainMs: 1_000, stalledMs: 20, handler });
  const agent = new Agent();
  expect((await ask(server.port, agent)).statusCode).toBe(200);
  await server.drain();
});

test("malformed bytes after a request end its connection, without an answer inside the answer", async () => {
  const handler = (incoming: IncomingMessage, response: ServerResponse): void => {
    incoming.resume();
    response.write("first");
  };
  const server = await listen({ host: "127.0.0.1", port: 0, drainMs: 1_000, handler });
  const client = connect(server.port, "127.0.0.1").on("error", () => undefined);
  let received = "";
  client.on("data", (bytes) => (received += bytes.toString()));
  client.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\na");
  await vi.waitUntil(() => received.includes("first"), 60_000);
  client.write("bGARBAGE\r\n\r\n");
  await once(client, "close");
  expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  await server.drain();
});

test.each([
  ["no HTTP", "GARBAGE\r\n\r\n", 400, "invalid_request"],
  [
    "endless headers",
    `GET / HTTP/1.1\r\nhost: a\r\nx-long: ${"a".repeat(64 * 1024)}\r\n\r\n`,
    431,
    "request_too_large",
  ],
])("%s gets a well-formed answer, with the request id of a line in the log", async (_, bytes, status, code) => {
  const { log } = createLogger("test", "silent");
  using logged = vi.spyOn(log, "info");
  const server = await listen({ host: "127.0.0.1", port: 0, drainMs: 1_000, handler: () => undefined, log });
  const client = connect(server.port, "127.0.0.1");
  client.write(bytes);
  const [head, body = ""] = Buffer.concat(await client.toArray())
    .toString()
    .split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(JSON.parse(body)).toMatchObject({ error: { code } });
  const [, requestId] = /^x-request-id: (\S+)/m.exec(head ?? "") ?? [];
  expect(logged.mock.calls).toEqual([
    [{ requestId, status, error: expect.stringMatching(/^HPE_/) }, "malformed request"],
  ]);
  await server.drain();
});

test("a connection that sent nothing is closed without a line in the log", () => {
  const { log } = createLogger("test", "silent");
  using logged = vi.spyOn(log, "info");
  const socket = new Socket();
  answerMalformed(Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket, log);
  expect(socket.destroyed).toBe(true);
  expect(logged).not.toHaveBeenCalled();
});
