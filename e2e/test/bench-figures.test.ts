import { expect, test } from "vitest";
import { lastRun, worseThan } from "../bench/rivals/history.ts";
import { partOf } from "../bench/rivals/profile.ts";

test("a figure that has grown by more than a tenth since the last run is said, and no other", () => {
  const before = lastRun(
    "| when | load | figures |\n|---|---|---|\n| 2026-11-22T10:00 | 1.0 | a b, chat = 100; c = 0.5 |\n",
  );
  expect(before).toEqual({ "a b, chat": 100, c: 0.5 });
  expect(worseThan(before, { "a b, chat": 111, c: 0.54, new: 9 })).toEqual(["a b, chat: 111, was 100 (+11 %)"]);
  expect(lastRun("| when | load | figures |\n|---|---|---|\n")).toEqual({});
});

test.each([
  ["file:///x/node_modules/.pnpm/ioredis@6/node_modules/ioredis/built/Redis.js", "f", "ioredis"],
  ["file:///x/node_modules/@sinclair/typebox/a.js", "f", "@sinclair/typebox"],
  ["file:///x/libs/relay/src/money/held-money.ts", "f", "libs/relay/src/money"],
  ["file:///x/services/edge/src/app.ts", "f", "services/edge/src"],
  ["node:internal/streams/writable", "f", "node:streams/writable"],
  ["", "(garbage collector)", "(garbage collector)"],
  ["", "(idle)", undefined],
  ["", "writev", "native, and JavaScript of V8"],
])("a sample in %s of %s counts for %s", (url, functionName, part) => {
  expect(partOf({ url, functionName })).toBe(part);
});
