import { expect, test } from "vitest";
import { addUnits, tokensIn, unitEntries, unitNames, type Units } from "../src/units.ts";

test("sums are computed by unit, without units that are in neither", () => {
  const sum = addUnits({ inputTokens: 2, seconds: 0.5 }, { inputTokens: 3, images: 1 });
  expect(sum).toEqual({ inputTokens: 5, seconds: 0.5, images: 1 });
  expect(addUnits({}, {})).toEqual({});
});

test("all tokens of a call are counted once: reasoning is part of the output, and other units are not tokens", () => {
  const all: Units = Object.fromEntries(unitNames.map((name, at) => [name, 10 ** at]));
  expect(tokensIn(all)).toBe(1_111_011_111);
  expect(tokensIn({ outputTokens: 4 })).toBe(4);
  expect(tokensIn({})).toBe(0);
});

test("existing units are listed in the order of the usage event", () => {
  expect(unitEntries({ requests: 1, inputTokens: 0 })).toEqual([
    ["inputTokens", 0],
    ["requests", 1],
  ]);
});
