import { expect, test } from "vitest";
import { fieldCell, renderTable, timeCell, escapeControlCharacters } from "../src/gatectl/table.ts";

test.each([
  ["a colour", "\u001b[31mred", "\\u001b[31mred"],
  ["a C1 control character", "\u009b2J", "\\u009b2J"],
  ["a line break", "one\r\ntwo", "one\\u000d\\u000atwo"],
  ["a direction override", "a\u202eb", "a\\u202eb"],
  ["letters of other languages", "é 模型\t", "é 模型\t"],
])("%s is displayed, not executed", (_, text, expected) => {
  expect(escapeControlCharacters(text)).toBe(expected);
});

test("a cell of a table contains no terminal escape sequence, and columns stay aligned", () => {
  const rows = [
    { name: "\u001b]0;owned\u0007", id: "1" },
    { name: "plain", id: "2" },
  ];
  const lines = renderTable(
    rows,
    [
      ["NAME", fieldCell("name")],
      ["ID", fieldCell("id")],
    ],
    "none",
  ).split("\n");
  expect(lines).toEqual(["NAME                  ID", "\\u001b]0;owned\\u0007  1", "plain                 2"]);
});

const [name, id, note] = [
  ["NAME", fieldCell("name")],
  ["ID", fieldCell("id")],
  ["NOTE", fieldCell("note")],
] as const;
const long = Array.from({ length: 40 }, (_, at) => `word${at}`);
const widthOf = (text: string): number => Math.max(...text.split("\n").map((line) => line.length));

test("a wide table keeps its rows, and the cells of its widest column are wrapped between words", () => {
  const rows = [
    { name: "a", note: long.join(" "), id: "1" },
    { name: "b", note: "short", id: "2" },
  ];
  const text = renderTable(rows, [name, note, id], "none");
  const lines = text.split("\n");
  expect(widthOf(text)).toBeLessThanOrEqual(120);
  expect(lines[0]).toMatch(/^NAME {2}NOTE +ID$/);
  expect(lines[1]).toMatch(/^a {5}word0 word1 .+ {2}1$/);
  expect(lines.at(-1)).toMatch(/^b {5}short +2$/);
  expect(lines.length).toBeGreaterThan(3);
  expect(
    lines
      .slice(1, -1)
      .join(" ")
      .match(/word\d+/g),
  ).toEqual(long);
});

test("a text without spaces, such as JSON, is split within words", () => {
  const rows = [{ name: "a".repeat(300), id: "1" }];
  const text = renderTable(rows, [name, id], "none");
  expect(widthOf(text)).toBe(120);
  expect(text.replaceAll(/[^a]/g, "")).toHaveLength(300);
  expect(text.split("\n").slice(1)).toEqual([`${"a".repeat(116)}  1`, "a".repeat(116), "a".repeat(68)]);
});

test("a table whose ids do not fit into a line becomes a block for each row, and loses nothing", () => {
  const columns = [0, 1, 2, 3, 4].map((at) => [`ID ${at}`, fieldCell(`id${at}`)] as const);
  const ids = [0, 1, 2, 3, 4].map((at) => [`id${at}`, `tok_${at}`.padEnd(24, "0")]);
  const row = Object.fromEntries(ids);
  const text = renderTable([row, { ...row, id4: "x".repeat(300) }], columns, "none");
  expect(widthOf(text)).toBe(120);
  const [first = "", second = ""] = text.split("\n\n");
  expect(first.split("\n")).toEqual(ids.map(([, value], at) => `ID ${at}  ${value}`));
  expect(second.replaceAll(/[^x]/g, "")).toHaveLength(300);
});

test("a time is shown without fractions of seconds", () => {
  expect(timeCell("at")({ at: "2026-01-31T12:00:00.123Z" })).toBe("2026-01-31T12:00:00Z");
  expect(timeCell("at")({})).toBe("-");
});
