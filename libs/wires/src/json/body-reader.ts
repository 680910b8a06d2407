import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { firstProblem } from "./problem.ts";

/** A reader of bodies of one schema. It throws Failure (400) naming the field that is wrong. */
export function bodyReader<const Schema extends TSchema>(schema: Schema): (body: unknown) => Static<Schema> {
  const shape = Compile(schema);
  return (body) => {
    if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
    return body;
  };
}
