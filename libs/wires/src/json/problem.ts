import { allowedValues, Failure, fieldPath, oneOf, schemaWords, type SchemaError } from "@modelgate/contracts";
import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";

/** The failure (400) that names the first field that is missing or wrong, as the client would spell it. */
export function firstProblem(errors: Iterable<SchemaError>, body: unknown): Failure {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return new Failure("invalid_value", "The body must be a JSON object.");
  const all = [...errors];
  // Of a union's branches the deepest complaint is about the branch that the client meant.
  const [worst] = all
    .filter(({ keyword }) => keyword !== "anyOf")
    .sort((left, right) => depthOf(right) - depthOf(left));
  const chosen = worst ?? all[0];
  if (chosen === undefined) return new Failure("invalid_value");
  const [missing] = missingNames(chosen);
  const param = fieldPath(chosen.instancePath, missing);
  if (missing !== undefined)
    return new Failure("missing_required_parameter", `Missing required parameter: ${param}.`, { param });
  // The branches of a union that each want one value are a choice.
  const choice = all.filter(({ instancePath }) => instancePath === chosen.instancePath).flatMap(allowedValues);
  const words = choice.length > 1 ? oneOf(choice) : schemaWords(chosen);
  return new Failure("invalid_value", `${param === "" ? "The body" : param} ${words}.`, { param });
}

function depthOf({ instancePath, keyword }: SchemaError): number {
  return instancePath.split("/").length + (keyword === "required" ? 1 : 0);
}

function missingNames({ keyword, params }: SchemaError): readonly string[] {
  if (keyword !== "required" || !("requiredProperties" in params) || !Array.isArray(params.requiredProperties))
    return [];
  return params.requiredProperties.map(String);
}

/** A reader of bodies of one schema. It throws Failure (400) naming the field that is wrong. */
export function bodyReader<const Schema extends TSchema>(schema: Schema): (body: unknown) => Static<Schema> {
  const shape = Compile(schema);
  return (body) => {
    if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
    return body;
  };
}
