import { Failure } from "@modelgate/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { refuseAmbiguous, refuseDuplicatesInTurns } from "../src/json/ambiguous.ts";
import { findClosingQuote, seekQuote } from "../src/json/members.ts";
import { parseInTurns } from "../src/json/parse-in-turns.ts";
import { includesAny, maxStepBytes, runToEnd } from "../src/json/scan.ts";

const megabyte = 1024 * 1024;
const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test.each<[string, () => Iterator<undefined, unknown>]>([
  [
    "a search for a word that may start at any byte",
    () => includesAny(Buffer.alloc(megabyte, "r"), Buffer.from("reason")),
  ],
  ["a search for duplicate members", () => refuseDuplicatesInTurns(bytesOf({ content: '"'.repeat(megabyte) }), null)],
])("%s blocks the event loop only for short steps", (_, start) => {
  const work = start();
  let steps = 1;
  while (work.next().done !== true) steps++;
  expect(steps).toBeGreaterThanOrEqual(megabyte / maxStepBytes);
});

test("a word is found wherever a large body is split", () => {
  for (let before = maxStepBytes - 8; before <= maxStepBytes + 1; before++)
    expect(
      runToEnd(includesAny(Buffer.from(`${"x".repeat(before)}file_id${"x".repeat(9)}`), Buffer.from("file_id"))),
    ).toBe(true);
});

const dense = fc.array(fc.constantFrom('"', "\\", "a", "\n", "é", "x".repeat(70)), { maxLength: 40 });

test("the end of a string is found among escapes, in one piece or in several", () => {
  fc.assert(
    fc.property(dense, fc.integer({ min: 1, max: 90 }), (pieces, count) => {
      const bytes = Buffer.from(`${JSON.stringify(pieces.join(""))},"more"`);
      const end = Buffer.byteLength(JSON.stringify(pieces.join(""))) - 1;
      expect(findClosingQuote(bytes, 0)).toBe(end);
      let [at, until] = [1, 1];
      while (at >= until) {
        until = at + count;
        at = seekQuote(bytes, at, until);
      }
      expect(at).toBe(end);
    }),
  );
});

test("a run of backslashes longer than one search is read to its end", () => {
  const text = `${"x".repeat(100)}${"\\".repeat(2 * maxStepBytes)}"`;
  const bytes = bytesOf([text]);
  expect(findClosingQuote(bytes, 1)).toBe(bytes.length - 2);
});

test("an object of a thousand fields is refused before parsing, and one with deeper fields is not", () => {
  const bounds = { depth: 9, values: 10_000, members: 10_000, topMembers: 100 };
  const wide = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, 1]));
  expect(() => runToEnd(parseInTurns(bytesOf(wide), bounds))).toThrow(Failure);
  expect(runToEnd(parseInTurns(bytesOf({ wide, list: [wide] }), bounds))).toEqual({ wide, list: [wide] });
});

test("settings that are looked up by name are refused if they are megabytes long", () => {
  const body = bytesOf({ stream_options: { include_usage: true, more: "x".repeat(megabyte) } });
  expect(() => refuseAmbiguous(body, ["stream_options", "stream_options.include_usage"])).toThrow(
    expect.objectContaining({ code: "request_too_large", param: "stream_options" }),
  );
});
