import { expect, test } from "vitest";
import { partOf } from "../bench/part-of.ts";

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
