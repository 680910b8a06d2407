import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger, signOperator } from "@modelgate/platform";
import { fields } from "./fields.ts";
import { operatorHandler } from "./router.ts";

const secret = "a-secret-of-this-test-alone";
const routes = {
  "GET /things/{id}": async ({ params, query }: { params: object; query: URLSearchParams }) => ({
    ...params,
    ...Object.fromEntries(query),
  }),
  "POST /amounts": async ({ body }: { body: unknown }) => fields.dollars(body, "amount").toString(),
};

let server: Server;
let url = "";
beforeAll(async () => {
  server = createServer(operatorHandler(routes, secret, createLogger("control", "silent").log)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});
afterAll(() => void server.close());

async function ask(method: string, path: string, body?: object): Promise<readonly [number, any]> {
  const credential = signOperator(secret, Math.floor(Date.now() / 1_000) + 60);
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${credential}`, connection: "close" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [answer.status, await answer.json()];
}

test("what stands in a path's places is decoded, and a query may hold question marks", async () => {
  expect(await ask("GET", "/things/a%2Fb?why=what?")).toEqual([200, { data: { id: "a/b", why: "what?" } }]);
});

test.each([
  ["GET", "/things/%E0%A4%A"],
  ["GET", "//"],
  ["GET", "/things/"],
  ["PUT", "/things/a"],
  ["GET", "/toString"],
])("%s %s is 404", async (method, path) => {
  expect(await ask(method, path)).toMatchObject([404, { error: { code: "unknown_url" } }]);
});

test.each([
  ["1000000000.00", 200],
  ["-1000000000.00", 200],
  ["1000000000.000000001", 400],
  ["99999999999999999999", 400],
  ["-9000000000", 400],
  ["much", 400],
])("an amount of %s is %i", async (amount, status) => {
  const [answered, { error }] = await ask("POST", "/amounts", { amount });
  expect([answered, error?.param]).toEqual([status, status === 200 ? undefined : "amount"]);
});
