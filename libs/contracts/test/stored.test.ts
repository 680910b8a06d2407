import { Type } from "typebox";
import { describe, expect, test } from "vitest";
import { recordParser, UnknownShape } from "../src/index.ts";

const read = recordParser(
  "pet",
  Type.Object(
    {
      name: Type.String({ pattern: "^[A-Z]", maxLength: 3 }),
      age: Type.Optional(Type.Integer()),
      food: Type.Object({ kind: Type.Enum(["hay", "fish"]) }, { additionalProperties: false }),
    },
    { additionalProperties: false },
  ),
);

describe("stored()", () => {
  test("returns a record of the schema's shape", () => {
    expect(read('{"name":"Ada","food":{"kind":"hay"}}')).toEqual({ name: "Ada", food: { kind: "hay" } });
  });

  test("keeps members that a newer version has written, in their order", () => {
    const text = '{"new":1,"name":"Ada","food":{"kind":"hay","more":[]}}';
    expect(JSON.stringify(read(text))).toBe(text);
  });

  test("reads records that were stored under other limits", () => {
    expect(read('{"name":"a long name","food":{"kind":"hay"}}').name).toBe("a long name");
  });

  test.each([
    {
      title: "a missing member",
      text: '{"name":"Ada"}',
      error: /^stored pet cannot be read: it must have required/,
    },
    { title: "a member of another type", text: '{"name":7,"food":{"kind":"hay"}}', error: /\/name must be string/ },
    { title: "an unknown name", text: '{"name":"A","food":{"kind":"secret"}}', error: /\/food\/kind must be equal/ },
    { title: "another kind of value", text: "null", error: /it must be object/ },
    { title: "text that is not JSON", text: "secret", error: /it is not JSON \(6 characters\)/ },
  ])("refuses $title, without quoting it", ({ text, error }) => {
    expect(() => read(text)).toThrow(UnknownShape);
    expect(() => read(text)).toThrow(error);
    expect(() => read(text)).not.toThrow(/secret/);
  });
});
