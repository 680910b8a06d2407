import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startApp, type TestApp } from "./start-app.ts";

let server: TestApp;
beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function exchange(bytes: string): Promise<string> {
  const socket = connect(server.port, "127.0.0.1");
  socket.write(bytes);
  return Buffer.concat(await socket.toArray()).toString();
}

const upgradeOf = (path: string, more = ""): string =>
  `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${more}\r\n`;

test.each([
  ["without a key", upgradeOf("/v1/realtime?model=m"), 401, "invalid_api_key"],
  ["to an unknown path", upgradeOf("/v1/nothing"), 404, "unknown_url"],
  [
    "of a page of another origin",
    upgradeOf("/v1/realtime", "origin: https://evil.example\r\n"),
    403,
    "origin_not_allowed",
  ],
])("a WebSocket %s is refused as plain HTTP, and its connection ends", async (_, request, status, code) => {
  const answer = await exchange(request);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toMatch(/\r\nx-request-id: req_/);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  expect(answer).toContain(`"code":"${code}"`);
});

test("a page that is requested with an upgrade is sent as a page", async () => {
  expect(await exchange(upgradeOf("/healthz"))).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\nok\n$/);
});

test("a WebSocket that is pipelined behind an open call ends only its own connection", async () => {
  // While the key is looked up, the call is still open when the upgrade arrives.
  const call = `GET /v1/models HTTP/1.1\r\nhost: a\r\nauthorization: Bearer sk-${"a".repeat(40)}\r\n\r\n`;
  await exchange(call + upgradeOf("/v1/realtime"));
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

test("a call passes the steps in order, and the first refusal is sent", async () => {
  const answer = await fetch(`${server.url}/v1/messages`, {
    method: "POST",
    headers: { origin: "https://page.example" },
  });
  expect(answer.status).toBe(401);
  expect(answer.headers.get("access-control-allow-origin")).toBe("https://page.example");
  expect(answer.headers.get("request-id")).toMatch(/^req_/);
  expect(answer.headers.get("x-powered-by")).toBeNull();
  expect(await answer.json()).toMatchObject({ type: "error", error: { type: "authentication_error" } });
});

test("the log names the failure of a refused call", async () => {
  using info = vi.spyOn(server.log, "info");
  const { headers } = await fetch(`${server.url}/v1/models`);
  const line = { requestId: headers.get("x-request-id"), status: 401, error: "invalid_api_key", whole: true };
  await vi.waitFor(() => expect(info).toHaveBeenCalledWith(expect.objectContaining(line), "request"), 60_000);
});

test("a call is refused before its body is read", async () => {
  const head = "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 67108864\r\n\r\n{";
  const socket = connect(server.port, "127.0.0.1");
  socket.write(head);
  const [answer]: Buffer[] = await once(socket, "data");
  expect(answer?.toString()).toMatch(/^HTTP\/1.1 401 /);
  socket.destroy();
});
