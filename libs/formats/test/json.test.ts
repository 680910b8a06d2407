import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refuseAmbiguous } from "../src/json/ambiguous.ts";
import { endOfValue, membersOf, spliceMembers } from "../src/json/members.ts";
import { findValueRange, refuseAmbiguousPath, replaceRange } from "../src/json/byte-range.ts";

const json = fc.jsonValue({ maxDepth: 4 });
const object = fc.dictionary(fc.string({ unit: "grapheme", maxLength: 6 }), json, { maxKeys: 6 });
const indent = fc.constantFrom(undefined, 2, "\t");

describe("splice", () => {
  test("replaces and adds members, and leaves every other unchanged", () => {
    fc.assert(
      fc.property(object, json, json, indent, (value, first, second, space) => {
        const bytes = Buffer.from(JSON.stringify(value, undefined, space));
        const spliced = spliceMembers(bytes, { model: JSON.stringify(first), stream: JSON.stringify(second) });
        expect(JSON.parse(spliced.toString())).toEqual({
          ...JSON.parse(bytes.toString()),
          model: JSON.parse(JSON.stringify(first)),
          stream: JSON.parse(JSON.stringify(second)),
        });
      }),
    );
  });

  test.each([
    ['{"model":"a", "seed" : 12345678901234567890 }', '{"model":"b", "seed" : 12345678901234567890 }'],
    ['{ "x":{"model":"a"},"model" : "a" }', '{ "x":{"model":"a"},"model" : "b" }'],
    ['{"model":"a","model":"c"}', '{"model":"b","model":"b"}'],
    ['{"t":"\\"model\\":\\"a\\"}"}', '{"t":"\\"model\\":\\"a\\"}","model":"b"}'],
    ['{"\\u006dodel":"a"}', '{"\\u006dodel":"b"}'],
    ["{}", '{"model":"b"}'],
    ["{ }\n", '{ "model":"b"}\n'],
  ])("%s", (before, after) => {
    expect(spliceMembers(Buffer.from(before), { model: '"b"' }).toString()).toBe(after);
  });

  test("without a change the bytes are the same", () => {
    const bytes = Buffer.from('{"a":1}');
    expect(spliceMembers(bytes, {})).toBe(bytes);
  });

  test("a value that is not an object is refused", () => {
    expect(() => membersOf(Buffer.from("[1]"))).toThrow(SyntaxError);
  });
});

test("members are at the reported positions", () => {
  fc.assert(
    fc.property(object, indent, (value, space) => {
      const bytes = Buffer.from(JSON.stringify(value, undefined, space));
      const parsedMembers = Object.fromEntries(
        membersOf(bytes).map(({ name, start, end }) => [name, JSON.parse(bytes.toString("utf8", start, end))]),
      );
      expect(parsedMembers).toEqual(JSON.parse(bytes.toString()));
    }),
  );
});

test("the end of any value is found", () => {
  fc.assert(
    fc.property(json, fc.constantFrom(",", "}", "]", " ", "\n", ""), (value, after) => {
      const text = JSON.stringify(value);
      const bytes = Buffer.from(text + after);
      expect(endOfValue(bytes, 0)).toBe(Buffer.byteLength(text));
    }),
  );
});

describe("a member that parsers may read differently is refused", () => {
  test.each([
    ["there twice", '{"model":"dear","model":"cheap"}'],
    ["twice, once escaped", '{"model":"dear","mod\\u0065l":"cheap"}'],
    ["in another case", '{"model":"cheap","Model":"dear"}'],
    ["with the Kelvin sign", '{"max_tokens":1,"max_to\u212aens":9}'],
    ["with the long s", '{"max_tokens":1,"max_token\u017f":9}'],
  ])("%s", (_, text) => {
    expect(() => refuseAmbiguous(Buffer.from(text), ["model", "max_tokens"])).toThrow(
      expect.objectContaining({ code: "invalid_value" }),
    );
  });

  test("other members may appear twice, also inside others", () => {
    const text = '{"model":"m","seed":1,"seed":2,"Seed":3,"metadata":{"Model":"x","model":"y"}}';
    expect(() => refuseAmbiguous(Buffer.from(text), ["model"])).not.toThrow();
  });
});

describe("a range in a document", () => {
  test("a range is where a parser finds the value, and its value can be replaced", () => {
    fc.assert(
      fc.property(object, object, json, indent, (around, inner, value, space) => {
        const bytes = Buffer.from(JSON.stringify({ ...around, a: { ...inner, b: value } }, undefined, space));
        const range = findValueRange(bytes, ["a", "b"]);
        if (range === undefined) throw new Error("not found");
        expect(JSON.parse(bytes.toString("utf8", range.start, range.end))).toEqual(JSON.parse(JSON.stringify(value)));
        const replaced = JSON.parse(replaceRange(bytes, range, '"other"').toString());
        const before = JSON.parse(bytes.toString());
        expect(replaced).toEqual({ ...before, a: { ...before.a, b: "other" } });
      }),
    );
  });

  test.each(['{"a":1}', '{"a":{"c":1}}', '{"a":[{"b":1}]}', '{"b":1}', '{"a":null}'])("is not found in %s", (text) => {
    expect(findValueRange(Buffer.from(text), ["a", "b"])).toBeUndefined();
    expect(() => refuseAmbiguousPath(Buffer.from(text), ["a", "b"])).not.toThrow();
  });

  test.each(['{"a":{},"a":{"b":1}}', '{"a":{"b":1,"b":2}}', '{"a":{"B":1}}'])(
    "is refused if it is ambiguous: %s",
    (text) =>
      expect(() => refuseAmbiguousPath(Buffer.from(text), ["a", "b"])).toThrow(
        expect.objectContaining({ code: "invalid_value" }),
      ),
  );
});
