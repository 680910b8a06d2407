import { expect, test } from "vitest";
import { fieldCell, table, visible } from "../src/gatectl/table.ts";

test.each([
  ["a colour", "\u001b[31mred", "\\u001b[31mred"],
  ["a C1 control character", "\u009b2J", "\\u009b2J"],
  ["a line break", "one\r\ntwo", "one\\u000d\\u000atwo"],
  ["a direction override", "a\u202eb", "a\\u202eb"],
  ["letters of other languages", "é 模型\t", "é 模型\t"],
])("%s is displayed, not executed", (_, text, expected) => {
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

test("a table that is wider than 120 characters becomes a block for each row, and loses nothing", () => {
  const rows = [
    { name: "a".repeat(300), id: "1" },
    { name: "b", id: "2" },
  ];
  const text = table(
    rows,
    [
      ["NAME", fieldCell("name")],
      ["ID", fieldCell("id")],
    ],
    "none",
  );
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBe(120);
  expect(text.replaceAll(/[^a]/g, "")).toHaveLength(300);
  expect(text.split("\n\n")).toEqual([
    expect.stringMatching(/^NAME {2}a{114}\n {6}a+[^]*\nID {4}1$/),
    "NAME  b\nID    2",
  ]);
});
