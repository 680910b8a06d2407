import { expect, test } from "vitest";
import { fieldCell, table, visible } from "../src/gatectl/table.ts";

test.each([
  ["a colour", "\u001b[31mred", "\\u001b[31mred"],
  ["a C1 command", "\u009b2J", "\\u009b2J"],
  ["a line of its own", "one\r\ntwo", "one\\u000d\\u000atwo"],
  ["a turned direction", "a\u202eb", "a\\u202eb"],
  ["letters of any language", "é 模型\t", "é 模型\t"],
])("%s is shown, not run", (_, text, expected) => {
  expect(visible(text)).toBe(expected);
});

test("a cell of a table contains no terminal escape sequence, and columns stay aligned", () => {
  const rows = [
    { name: "\u001b]0;owned\u0007", id: "1" },
    { name: "plain", id: "2" },
  ];
  const lines = table(
    rows,
    [
      ["NAME", fieldCell("name")],
      ["ID", fieldCell("id")],
    ],
    "none",
  ).split("\n");
  expect(lines).toEqual(["NAME                  ID", "\\u001b]0;owned\\u0007  1", "plain                 2"]);
});
