import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { listen } from "../src/http-server.ts";

/** Sends a request over the agent's connection. */
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
