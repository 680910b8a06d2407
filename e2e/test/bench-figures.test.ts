import { expect, test } from "vitest";
import { partOf } from "../bench/part-of.ts";
import { bifrostConfig } from "../bench/rivals/bifrost.ts";
import { loadOf } from "../bench/rivals/kinds.ts";
import { bytesOf } from "../bench/sample-allocations.ts";

test.each([
  ["file:///x/node_modules/.pnpm/ioredis@6/node_modules/ioredis/built/Redis.js", "f", "ioredis"],
  ["file:///x/node_modules/@sinclair/typebox/a.js", "f", "@sinclair/typebox"],
  ["file:///x/libs/relay/src/money/held-money.ts", "f", "libs/relay/src/money"],
  ["file:///x/services/edge/src/app.ts", "f", "services/edge/src"],
  ["node:internal/streams/writable", "f", "node:streams/writable"],
  ["", "(garbage collector)", "(garbage collector)"],
  ["", "(idle)", undefined],
  ["", "writev", "native, and JavaScript of V8"],
])("a sample of the URL %s in the function %s counts for %s", (url, functionName, part) => {
  expect(partOf({ url, functionName })).toBe(part);
});

test.each([
  [false, { config_store: { enabled: false }, logs_store: { enabled: false } }],
  [true, { governance: { virtual_keys: [{ budget_id: "bench", rate_limit_id: "bench" }] } }],
])("Bifrost sends calls to the stub, governed: %s", (isGoverned, expected) => {
  const config = bifrostConfig("/data", "http://127.0.0.1:1", isGoverned);
  expect(config).toMatchObject({ ...expected, client: { enable_logging: isGoverned, enable_governance: isGoverned } });
  expect(config).toMatchObject({ providers: { openai: { network_config: { base_url: "http://127.0.0.1:1" } } } });
});

const gateway = {
  name: "gateway",
  address: "http://127.0.0.1:1",
  headers: {},
  parts: {},
  servers: {},
  isOurs: false,
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

test("a gateway gets its prefix of the model in every body of a load", () => {
  const { body = "", others = [] } = loadOf("mixed", { ...gateway, modelPrefix: "vendor/" }) ?? {};
  const bodies = [body, ...others];
  expect(bodies.map((body) => JSON.parse(body))).toEqual(
    [true, false, false, false, false].map((stream) => expect.objectContaining({ model: "vendor/stub", stream })),
  );
});

test("a load of a wire that a gateway lacks is left out", () => {
  expect(loadOf("converted", gateway)).toBeUndefined();
});

test("the bytes of a call site include those of the sites that it called", () => {
  const callFrame = { functionName: "f", url: "", lineNumber: 0 };
  const leaf = { callFrame, selfSize: 3, children: [] };
  expect(bytesOf({ callFrame, selfSize: 2, children: [leaf, { ...leaf, children: [leaf] }] })).toBe(11);
});
