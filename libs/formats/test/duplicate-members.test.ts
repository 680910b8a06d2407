import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { runToEnd, parseInTurns, refuseDuplicatesInTurns } from "../src/json/index.ts";

const refuse = (text: string): void => runToEnd(refuseDuplicatesInTurns(Buffer.from(text), JSON.parse(text)));

describe("an object with a duplicate member is refused, because a vendor may read the other one", () => {
  test.each([
    ["at the top", '{"a":1,"a":2}', "a"],
    ["once escaped", '[{"b":{"c":[],"\\u0063":0}}]', "c"],
    ["among strings with brackets and quotes", '{"a":{"x":"}\\"","y":1,"x":2}}', "x"],
    ["as an object that hides the first one's members", '{"file":{"file_id":"file-1"},"file":{}}', "file"],
    ["as null before the object", '{"a":[{"file":null,"file":{"file_id":"file-1"}}]}', "file"],
    ["as __proto__", '{"__proto__":{"file_id":"file-1"},"__proto__":{}}', "__proto__"],
    ["under an empty name", '{"":{"file_id":"file-1"},"":1}', ""],
  ])("%s", (_, text, param) => {
    expect(() => refuse(text)).toThrow(expect.objectContaining({ code: "invalid_value", param }));
  });

  test("a duplicate member is refused at any position", () => {
    const place = fc.json().map((text) => JSON.stringify(JSON.parse(text)));
    fc.assert(
      fc.property(place, place, fc.string(), (before, after, name) => {
        const member = JSON.stringify(name);
        expect(() => refuse(`[${before},{${member}:1,"other":${after},${member}:2}]`)).toThrow(Failure);
      }),
    );
  });
});

test("documents from a JSON writer are never refused", () => {
  fc.assert(fc.property(fc.json(), (text) => refuse(JSON.stringify(JSON.parse(text)))));
});

test("a large document is scanned in many turns, and its duplicate member is found", () => {
  const items = Array.from({ length: 100_000 }, (_, at) => `{"k":${at}}`).join(",");
  const bytes = Buffer.from(`{"first":{"file_id":"file-1"},"list":[${items}],"first":{}}`);
  const parsing = parseInTurns(bytes, { depth: 9, values: Infinity, members: Infinity });
  let parsed = parsing.next();
  while (parsed.done !== true) parsed = parsing.next();
  const work = refuseDuplicatesInTurns(bytes, parsed.value);
  let turns = 0;
  expect(() => {
    while (work.next().done !== true) turns++;
  }).toThrow(expect.objectContaining({ param: "first" }));
  expect(turns).toBeGreaterThan(10);
});
