import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount, makeToken, writeEpoch, writeTokenToRedis } from "@modelgate/accounts";
import { endpointIds, endpointOf, type Endpoint, type ErrorFormat, type KeyCarrier } from "@modelgate/contracts";
import { startApp, type TestApp } from "./start-app.ts";

/** Laws of all endpoints. No service answers, so a call that passes the edge fails with another status. */
const [key, otherKey] = ["sk-demo-0123456789abcdef", "sk-other-0123456789abcdef"];
let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await writeEpoch(app.redis, "the test's books");
  await createAccount(app.redis, { id: "demo", balance: 1_000_000_000n });
  for (const each of [key, otherKey]) {
    const { digest, token } = makeToken(each, { accountId: "demo", group: "default" });
    await writeTokenToRedis(app.redis, digest, token);
  }
});
afterAll(() => app?.[Symbol.asyncDispose]());

const rows = endpointIds.map((id) => [id, endpointOf(id)] as const);
const formatOf = ({ errors }: Endpoint): ErrorFormat => (errors === "by-request" ? "common" : errors);
const pathOf = ({ path }: Endpoint): string => path.replaceAll(/\{(\w+)\}/g, "some-$1");

/** Members of an error, by format. */
const shapes: Readonly<Record<ErrorFormat, (code: string, status: number) => object>> = {
  common: (code) => ({ error: { message: expect.any(String), type: expect.any(String), code } }),
  alpha: () => ({
    type: "error",
    error: { type: expect.any(String), message: expect.any(String) },
    request_id: expect.any(String),
  }),
  gamma: (_, status) => ({ error: { code: status, message: expect.any(String), status: expect.any(String) } }),
  task: (code) => ({ code, message: expect.any(String), error: { code } }),
  epsilon: (code, status) => ({ code: status, message: expect.any(String), data: null, error: { code } }),
  ollama: () => ({ error: expect.any(String) }),
};

const keyCarriers: Readonly<
  Record<KeyCarrier, (key: string) => { readonly headers?: Record<string, string>; readonly query?: string }>
> = {
  authorization: (key) => ({ headers: { authorization: `Bearer ${key}` } }),
  "x-api-key": (key) => ({ headers: { "x-api-key": key } }),
  "api-key": (key) => ({ headers: { "api-key": key } }),
  "gamma-header": (key) => ({ headers: { "x-goog-api-key": key } }),
  "gamma-query": (key) => ({ query: `?key=${key}` }),
  subprotocol: (key) => ({ headers: { "sec-websocket-protocol": `realtime, openai-insecure-api-key.${key}` } }),
};

async function call(
  endpoint: Endpoint,
  { headers = {}, query = "" }: { headers?: Record<string, string>; query?: string },
  method: string = endpoint.method,
) {
  const json = endpoint.body === "none" ? {} : { "content-type": "application/json" };
  const response = await fetch(app.url + pathOf(endpoint) + query, {
    method,
    headers: { ...json, ...headers },
    ...(method === "GET" || method === "DELETE" ? {} : { body: "{}" }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Calls each endpoint, and returns what was found by the endpoint's id. */
async function ofEach<Found>(find: (endpoint: Endpoint) => Promise<Found>, of = rows): Promise<Record<string, Found>> {
  const found = await Promise.all(of.map(async ([id, endpoint]) => [id, await find(endpoint)] as const));
  return Object.fromEntries(found);
}

const expected = (of: typeof rows, result: (endpoint: Endpoint) => unknown) =>
  Object.fromEntries(of.map(([id, endpoint]) => [id, result(endpoint)]));

test("every endpoint without a key answers with 401 in its format", async () => {
  const answers = await ofEach(async (endpoint) => {
    const { status, body, headers } = await call(endpoint, {});
    return { status, body, id: headers.get("x-request-id") };
  });
  expect(answers).toMatchObject(
    expected(rows, (endpoint) => ({
      status: 401,
      body: shapes[formatOf(endpoint)]("invalid_api_key", 401),
      id: expect.stringMatching(/^req_/),
    })),
  );
});

test("every endpoint accepts a valid key in each of its places", async () => {
  const refused = await ofEach(async (endpoint) => {
    const answers = await Promise.all(endpoint.keys.map((carrier) => call(endpoint, keyCarriers[carrier](key))));
    return endpoint.keys.filter((_, at) => answers[at]?.status === 401);
  });
  expect(refused).toEqual(expected(rows, () => []));
});

test("every endpoint with several places for a key refuses two different keys", async () => {
  const several = rows.filter(([, { keys }]) => keys.length > 1);
  const statuses = await ofEach(async ({ keys: [first = "authorization", second = first], ...endpoint }) => {
    const [one, other] = [keyCarriers[first](key), keyCarriers[second](otherKey)];
    // The error's format can depend on these headers.
    const keys = { headers: { ...one.headers, ...other.headers }, query: other.query ?? "" };
    return (await call({ ...endpoint, keys: [first, second] }, keys)).status;
  }, several);
  expect(statuses).toEqual(expected(several, () => 401));
});

test("every endpoint answers another method with 405 and the allowed ones", async () => {
  const answers = await ofEach(async (endpoint) => {
    const { status, headers } = await call(endpoint, keyCarriers.authorization(key), "PUT");
    return [status, headers.get("allow")];
  });
  expect(answers).toEqual(expected(rows, ({ method }) => [405, expect.stringContaining(method)]));
});

test("every endpoint that is declared only answers with 501 in its format", async () => {
  const declared = rows.filter(([, { unimplemented }]) => unimplemented);
  const answers = await ofEach(async (endpoint) => {
    const { status, body } = await call(endpoint, keyCarriers.authorization(key));
    return { status, body };
  }, declared);
  expect(answers).toMatchObject(
    expected(declared, (endpoint) => ({ status: 501, body: shapes[formatOf(endpoint)]("api_not_implemented", 501) })),
  );
});
