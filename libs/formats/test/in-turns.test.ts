import { Failure } from "@modelgate/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { membersOf, spliceMembers } from "../src/json/members.ts";
import { parseInTurns, spliceInTurns } from "../src/json/parse-in-turns.ts";
import { JsonScanner, maxStepBytes, type JsonBounds } from "../src/json/scan.ts";
import { stringifyInTurns } from "../src/json/stringify-in-turns.ts";

const unbounded: JsonBounds = { depth: Infinity, values: Infinity, members: Infinity };
const timeout = 120_000;

/** Runs a stepwise computation to its end. Returns its result and the number of its steps. */
function finish<Result>(work: Generator<undefined, Result>): { readonly result: Result; readonly turns: number } {
  for (let turns = 1; ; turns++) {
    const step = work.next();
    if (step.done === true) return { result: step.value, turns };
  }
}

const parse = (text: string | Buffer, bounds: JsonBounds = unbounded): unknown =>
  finish(parseInTurns(Buffer.from(text), bounds)).result;

/** Generates strings longer than one step, whose pattern is cut at different positions. */
const longString = fc
  .record({
    pattern: fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
    offset: fc.integer({ min: 0, max: 12 }),
    plain: fc.boolean(),
  })
  .map(({ pattern, offset, plain }) =>
    plain
      ? "A".repeat(2 * maxStepBytes + offset)
      : "x".repeat(offset) + pattern.repeat((1.3 * maxStepBytes) / pattern.length),
  );
const name = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("__proto__", "constructor", "7", 'a"b'));
const small = fc.jsonValue({ maxDepth: 3 });
const { large } = fc.letrec<{ large: unknown }>((tie) => ({
  large: fc.oneof(
    { depthSize: "small" },
    longString,
    fc
      .array(small, { minLength: 1, maxLength: 4 })
      .map((items) => Array.from({ length: 30_000 }, (_, at) => items[at % items.length])),
    fc.dictionary(name, fc.oneof(small, tie("large")), { minKeys: 1, maxKeys: 4 }),
    fc.array(fc.oneof(small, tie("large")), { minLength: 1, maxLength: 4 }),
  ),
}));
const indent = fc.constantFrom(undefined, 1, "\t");

describe("a document of any size", () => {
  test(
    "is parsed to the same value as by JSON.parse, with members at their reported positions",
    () => {
      fc.assert(
        fc.property(fc.dictionary(name, large, { minKeys: 1, maxKeys: 3 }), indent, (value, space) => {
          const bytes = Buffer.from(` ${JSON.stringify(value, undefined, space)}\n`);
          const parsed = parseInTurns(bytes, unbounded);
          const { result } = finish(parsed);
          expect(JSON.stringify(result) === JSON.stringify(JSON.parse(bytes.toString()))).toBe(true);
          for (const member of membersOf(bytes))
            expect(
              JSON.stringify(JSON.parse(bytes.toString("utf8", member.start, member.end))) ===
                JSON.stringify(value[member.name]),
            ).toBe(true);
        }),
        { numRuns: 5 },
      );
    },
    timeout,
  );

  test(
    "is rendered to the same bytes as by JSON.stringify",
    () => {
      fc.assert(
        fc.property(large, (value) => {
          const { result } = finish(stringifyInTurns({ value, left: undefined, list: [undefined, 1] }));
          expect(result.equals(Buffer.from(JSON.stringify({ value, left: undefined, list: [undefined, 1] })))).toBe(
            true,
          );
        }),
        { numRuns: 5 },
      );
    },
    timeout,
  );

  const filler = `"${"A".repeat(maxStepBytes)}"`;
  const blank = " ".repeat(maxStepBytes + 1);
  test.each([
    ["an item is missing", `[${filler},,1]`],
    ["the last item is missing", `[1,${filler},]`],
    ["the first item is missing", `[,${filler}]`],
    ["a blank item is large", `[1,${blank},2]`],
    ["a member is missing", `{"a":${filler},,"b":1}`],
    ["a member has no value", `{"a":${filler},"b"}`],
    ["a large member has no colon", `{"a"${filler}}`],
    ["a member has no name", `{${filler}:1,2:${filler}}`],
    ["brackets of two kinds", `{"a":[1,${filler}}}`],
    ["an additional bracket", `[${filler}]]`],
    ["a bracket is missing", `[[${filler}]`],
    ["two documents", `[${filler}] [1]`],
    ["a string is not closed", `[${filler},"a`],
    ["a string with a line end", `["${"A".repeat(maxStepBytes)}\n"]`],
    ["an invalid escape", `["${"A".repeat(maxStepBytes)}\\x41"]`],
    ["half an escape", `["${"\\u00e9".repeat(maxStepBytes / 4)}\\u00"]`],
    ["two strings", `[${filler}${filler}]`],
    ["a very long literal", `[${"n".repeat(maxStepBytes + 1)}]`],
    ["a byte order mark", `\uFEFF[${filler}]`],
  ])("is refused like by JSON.parse: %s", (_, text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(() => parse(text)).toThrow();
  });

  test.each([
    ["an empty array of spaces", `[${blank}]`],
    ["an empty object of spaces", `{${blank}}`],
    [
      "spaces around everything",
      `${blank}{${blank}"a"${blank}:${blank}[${blank}1${blank},${blank}2${blank}]${blank}}${blank}`,
    ],
    ["only a string", filler],
    ["members twice", `{"a":1,"b":${filler},"a":2}`],
  ])("is accepted like by JSON.parse: %s", (_, text) => {
    expect(JSON.stringify(parse(text)) === JSON.stringify(JSON.parse(text))).toBe(true);
  });

  test("with invalid UTF-8 is read as a decoder reads it", () => {
    const broken = Buffer.from([0xe2, 0x82, 0x41, 0xf0, 0x9f, 0x80, 0x80, 0x80, 0xff]);
    const bytes = Buffer.concat([
      Buffer.from('["'),
      ...Array.from({ length: maxStepBytes / 4 }, () => broken),
      Buffer.from('"]'),
    ]);
    expect(JSON.stringify(parse(bytes)) === JSON.stringify(JSON.parse(bytes.toString()))).toBe(true);
  });

  test("takes many turns if it is large, and one if it is small", () => {
    expect(finish(parseInTurns(Buffer.from('{"a":[1,2]}'), unbounded)).turns).toBe(1);
    const texts = [
      filler.repeat(1),
      `"${'\\"'.repeat(4 * maxStepBytes)}"`,
      `"${"é".repeat(4 * maxStepBytes)}"`,
      blank,
      "[]",
    ];
    const text = `[${texts.join(",")},${"1,".repeat(4 * maxStepBytes)}0]`.replace(`,${blank},`, `,1${blank},`);
    const { turns, result } = finish(parseInTurns(Buffer.from(text), unbounded));
    expect(turns).toBeGreaterThan(text.length / maxStepBytes);
    expect(finish(stringifyInTurns(result)).turns).toBeGreaterThan(10);
  });
});

test("members of a large object are replaced and added in turns, with the bytes that one step gives", () => {
  const bytes = Buffer.from(JSON.stringify({ model: "a", text: "x".repeat(3_000_000), other: [1] }));
  const values = { model: '"b"', stream: "true" };
  const { result, turns } = finish(spliceInTurns(bytes, values));
  expect(result.equals(spliceMembers(bytes, values))).toBe(true);
  expect(turns).toBeGreaterThan(2);
  const unchanged = finish(spliceInTurns(bytes, {}));
  expect(unchanged.turns).toBe(1);
  expect(unchanged.result.equals(bytes)).toBe(true);
});

describe("limits", () => {
  const depthOf = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  const valuesOf = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? Object.values(value).reduce<number>((sum, item) => sum + valuesOf(item), 1)
      : 1;
  const membersIn = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? Object.values(value).reduce<number>(
          (sum, item) => sum + membersIn(item),
          Array.isArray(value) ? 0 : Object.keys(value).length,
        )
      : 0;
  const scan = (text: string, bounds: Partial<JsonBounds>, step = Infinity): void => {
    const scanner = new JsonScanner(Buffer.from(text), { ...unbounded, ...bounds });
    while (!scanner.scan(step));
  };
  const refusal = (code: string) => expect.objectContaining({ code });

  test("the counts match the value, wherever the scan pauses", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 1, max: 7 }), (value, step) => {
        const text = JSON.stringify(value);
        const [depth, members] = [depthOf(value), membersIn(value)];
        scan(text, { depth, members }, step);
        if (depth > 0) expect(() => scan(text, { depth: depth - 1 }, step)).toThrow(refusal("invalid_json"));
        if (members > 0) expect(() => scan(text, { members: members - 1 }, step)).toThrow(refusal("request_too_large"));
        if (valuesOf(value) > 1)
          expect(() => scan(text, { values: valuesOf(value) - 1 }, step)).toThrow(refusal("request_too_large"));
      }),
    );
  });

  test.each([
    ['"[[[["', { depth: 0, values: 1 }],
    ['"\\"[["', { depth: 0, values: 1 }],
    ['"unclosed [[', { depth: 0, values: 1 }],
    [`"${"x".repeat(100)}\\\\"`, { depth: 0 }],
    [`"${"x".repeat(100)}\\"[[,,"`, { depth: 0, values: 1 }],
  ])("no values are counted in the string %s", (text, bounds) => {
    for (const step of [1, 2, 3, Infinity]) expect(() => scan(text, bounds, step)).not.toThrow();
  });

  test("a million members are refused before parsing, and the limit is named", () => {
    const text = `{${Array.from({ length: 1_000_000 }, (_, at) => `"k${at}":1`).join(",")}}`;
    expect(() => parse(text, { ...unbounded, members: 100_000 })).toThrow(/more than 100000 members/);
    expect(() => parse(text, { ...unbounded, values: 500_000 })).toThrow(/more than 500000 values/);
    expect(() => parse("[".repeat(100_000), { ...unbounded, depth: 256 })).toThrow(Failure);
  });
});
