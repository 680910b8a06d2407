import { describe, expect, test } from "vitest";
import { endUserOf, Failure, parseTags } from "../src/index.ts";

describe("tags", () => {
  test.each([
    ["team=search", { team: "search" }],
    [" team = search , feature=chat ", { team: "search", feature: "chat" }],
    ["a.b-c_1=x/y:z@w+v u", { "a.b-c_1": "x/y:z@w+v u" }],
    [
      Array.from({ length: 8 }, (_, at) => `t${at}=v`).join(),
      Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`t${at}`, "v"])),
    ],
    [`${"n".repeat(32)}=${"v".repeat(64)}`, { ["n".repeat(32)]: "v".repeat(64) }],
  ])("reads %s", (header, tags) => {
    expect(parseTags(header)).toEqual(tags);
  });

  test.each([
    "team",
    "=search",
    "team=",
    "team=search,",
    "team=search,,feature=chat",
    "team=a,team=b",
    "te am=a",
    "__proto__=a",
    "team=a=b",
    'team="a"',
    "team=ä",
    `${"n".repeat(33)}=v`,
    `n=${"v".repeat(65)}`,
    Array.from({ length: 9 }, (_, at) => `t${at}=v`).join(),
  ])("refuses %s, naming the header", (header) => {
    expect(() => parseTags(header)).toThrow(Failure);
    expect(() => parseTags(header)).toThrow(
      expect.objectContaining({ code: "invalid_value", status: 400, param: "x-modelgate-tags" }),
    );
  });
});

test.each([
  ["ann", "ann"],
  [" ann\u0000b\n ", "ann b"],
  ["x".repeat(300), "x".repeat(256)],
  [`${"x".repeat(255)}\u{1f990}`, `${"x".repeat(255)}\ufffd`],
  ["", undefined],
  ["\u0000", undefined],
  [7, undefined],
  [null, undefined],
  [{ id: "ann" }, undefined],
])("an end user %j is stored as %j", (input, kept) => {
  expect(endUserOf(input)).toBe(kept);
});
