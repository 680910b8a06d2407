import { once } from "node:events";
import { createServer, request, type IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { PatientAgent } from "./patient-agent.ts";

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function post(port: number): Promise<number | undefined> {
  const asked = request({ port, host: "127.0.0.1", method: "POST", agent: new PatientAgent({ keepAlive: false }) });
  asked.end("body");
  const [response]: IncomingMessage[] = await once(asked, "response");
  response?.resume();
  return response?.statusCode;
}

test("a service that comes back in a moment is reached, by one request", async () => {
  const port = await freePort();
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    response.end();
  });
  const posted = post(port);
  setTimeout(() => server.listen(port, "127.0.0.1"), 200);
  expect(await posted).toBe(200);
  expect(asked).toBe(1);
  server.close();
});

test("one that stays away is told", async () => {
  const port = await freePort();
  await expect(post(port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("an address where nobody says yes or no is given up", async () => {
  const agent = new PatientAgent({ keepAlive: false, longestConnectMs: 50 });
  const asked = request({ host: "silent.example", lookup: () => undefined, agent });
  asked.end();
  await expect(once(asked, "response")).rejects.toThrow("no connection in time");
});
