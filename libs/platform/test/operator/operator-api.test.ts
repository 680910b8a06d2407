import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHttpServer, until, type TestServer } from "@modelgate/testkit";
import { createLogger } from "../../src/log.ts";
import { actorHeader, signOperator } from "@modelgate/contracts/operator-credential";
import { authoriseBySecret, operatorHandler, visitor, type Authorise } from "../../src/operator/operator-api.ts";

const secret = "a-secret-of-this-test-alone";
const routes = {
  "GET /things/{id}": async ({ params, query }: { params: object; query: URLSearchParams }) => ({
    ...params,
    ...Object.fromEntries(query),
  }),
  "POST /things": async ({ body }: { body: unknown }) => body,
};

let server: TestServer;
beforeAll(async () => {
  server = await startHttpServer(
    operatorHandler(routes, authoriseBySecret([secret]), createLogger("control", "silent").log),
  );
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function ask(method: string, path: string, body?: object): Promise<readonly [number, any]> {
  const credential = signOperator(secret, Math.floor(Date.now() / 1_000) + 60);
  const answer = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${credential}`, connection: "close" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [answer.status, await answer.json()];
}

test("a path's parameters are decoded, and a query may hold question marks", async () => {
  expect(await ask("GET", "/things/a%2Fb?why=what?")).toEqual([200, { data: { id: "a/b", why: "what?" } }]);
});

test.each([
  ["GET", "/things/%E0%A4%A"],
  ["GET", "//"],
  ["GET", "/things/"],
  ["PUT", "/things/a"],
  ["GET", "/toString"],
])("%s %s gets 404", async (method, path) => {
  expect(await ask(method, path)).toMatchObject([404, { error: { code: "unknown_url" } }]);
});

test("a body that is not JSON is refused", async () => {
  expect(await ask("POST", "/things", { of: "a kind" })).toEqual([200, { data: { of: "a kind" } }]);
  const credential = signOperator(secret, Math.floor(Date.now() / 1_000) + 60);
  const headers = { authorization: `Bearer ${credential}`, connection: "close" };
  const answer = await fetch(`${server.url}/things`, { method: "POST", headers, body: "{" });
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "invalid_json" } }]);
});

test("slow bodies of visitors do not use up the memory for operators' bodies", async () => {
  const byKey = authoriseBySecret([secret]);
  const authorise: Authorise = (sent) => (sent.headers.authorization === undefined ? visitor : byKey(sent));
  await using shared = await startHttpServer(operatorHandler(routes, authorise, createLogger("control", "silent").log));
  const post = (bytes: number, authorization: object = {}) =>
    fetch(`${shared.url}/things`, {
      method: "POST",
      body: JSON.stringify("1".repeat(bytes)),
      headers: { ...authorization },
    });
  expect((await post(9 * 1024)).status).toBe(413);
  const slow = Array.from({ length: 129 }, () => request({ port: shared.port, path: "/things", method: "POST" }));
  for (const sent of slow) sent.on("error", () => undefined).write("1".repeat(8 * 1024 - 1));
  await until("the memory to be full", async () => (await post(1_000)).status === 429);
  const authorization = `Bearer ${signOperator(secret, Math.floor(Date.now() / 1_000) + 60)}`;
  expect((await post(512 * 1024, { authorization })).status).toBe(200);
  for (const sent of slow) sent.destroy();
});

test("a call without a credential, or with one that has expired, is refused", async () => {
  const expired = signOperator(secret, Math.floor(Date.now() / 1_000) - 1);
  for (const authorization of ["", "Bearer none", `Bearer ${expired}`])
    expect((await fetch(`${server.url}/things/a`, { headers: { authorization, connection: "close" } })).status).toBe(
      401,
    );
});

test.each([
  ["the owner of the secret acts as the named operator", authoriseBySecret([secret]), "ada"],
  ["an operator named secret cannot act as another", () => ({ name: "secret", role: "admin" }) as const, "secret"],
])("%s", async (_, authorise, expected) => {
  const whoActs = { "POST /who": async ({ actor }: { actor: string }) => actor };
  await using who = await startHttpServer(operatorHandler(whoActs, authorise, createLogger("control", "silent").log));
  const authorization = `Bearer ${signOperator(secret, Math.floor(Date.now() / 1_000) + 60)}`;
  const headers = { authorization, [actorHeader]: "ada", connection: "close" };
  const answer = await fetch(`${who.url}/who`, { method: "POST", headers });
  expect(await answer.json()).toEqual({ data: expected });
});
