import { expect, test } from "vitest";
import { clausesOf } from "../../src/audio/clauses.ts";

test.each([
  ["Good morning, all of you who listen. It is nine.", ["Good morning, all of you who listen. ", "It is nine."]],
  ["It costs 3.50 today, no more.", ["It costs 3.50 today, ", "no more."]],
  [
    "All of this is in one line\n\nand this is in another",
    ["All of this is in one line\n\n", "and this is in another"],
  ],
  [`${"word ".repeat(20)}end`, ["word ".repeat(16), "word word word word end"]],
  ["x".repeat(81), ["x".repeat(80), "x"]],
  ["🎉".repeat(81), ["🎉".repeat(80), "🎉"]],
  ["  \n ", ["  \n "]],
  ["\ud800 alone", ["\ud800 alone"]],
  ["", []],
])("%j: nothing is lost, and no piece is longer than a breath", (text, clauses) => {
  expect(clausesOf(text)).toEqual(clauses);
  expect(clauses.join("")).toBe(text);
});
