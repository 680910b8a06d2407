import { Type, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { schemaPredicate } from "../src/index.ts";

test.each<[schema: TSchema, value: unknown, words: string]>([
  [Type.String(), 7, "must be a string"],
  [Type.Integer(), "7", "must be an integer"],
  [Type.Array(Type.String()), 7, "must be an array"],
  [Type.Array(Type.String(), { minItems: 1 }), [], "must have at least 1 item"],
  [Type.Array(Type.String(), { maxItems: 1 }), ["a", "b"], "must have at most 1 item"],
  [Type.String({ minLength: 2 }), "a", "must have at least 2 characters"],
  [Type.Number({ minimum: 0 }), -1, "must be at least 0"],
  [Type.Number({ maximum: 2 }), 3, "must be at most 2"],
  [Type.Number({ exclusiveMinimum: 0 }), 0, "must be more than 0"],
  [Type.Literal("auto"), "x", "must be auto"],
  [Type.Enum(["low", "high"]), "x", "must be one of low, high"],
  [Type.String({ pattern: "^a" }), "b", 'must match pattern "^a"'],
])("%j refuses %j: it %s", (schema, value, words) => {
  expect(Compile(schema).Errors(value).map(schemaPredicate)).toEqual([words]);
});
