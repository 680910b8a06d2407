import type { SchemaError } from "@modelgate/contracts";
import { allowedValues, Failure, fieldPath, oneOfPredicate, schemaPredicate, validatorOf } from "@modelgate/contracts";
import type { Static, TSchema } from "typebox";

/**
 * Creates the failure (400) that names the deepest missing or wrong field, in the client's spelling. It names no field
 * if the body is not an object.
 */
export function firstProblem(errors: Iterable<SchemaError>, body: unknown): Failure {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return new Failure("invalid_value", "The body must be a JSON object.");
  const all = [...errors];
  // Of the branches of a union, the client probably meant the one with the deepest error.
  const [worst] = all
    .filter(({ keyword }) => keyword !== "anyOf")
    .sort((left, right) => errorDepth(right) - errorDepth(left));
  const error = worst ?? all[0];
  if (error === undefined) return new Failure("invalid_value");
  const [missing] = missingNames(error);
  const param = fieldPath(error.instancePath, missing);
  if (missing !== undefined)
    return new Failure("missing_required_parameter", `Missing required parameter: ${param}.`, { param });
  // If the branches of a union are single values, all of them are named.
  const choice = all.filter(({ instancePath }) => instancePath === error.instancePath).flatMap(allowedValues);
  const predicate = choice.length > 1 ? oneOfPredicate(choice) : schemaPredicate(error);
  return new Failure("invalid_value", `${param === "" ? "The body" : param} ${predicate}.`, { param });
}

function errorDepth({ instancePath, keyword }: SchemaError): number {
  return instancePath.split("/").length + (keyword === "required" ? 1 : 0);
}

function missingNames({ keyword, params }: SchemaError): readonly string[] {
  if (keyword !== "required" || !("requiredProperties" in params) || !Array.isArray(params.requiredProperties))
    return [];
  return params.requiredProperties.map(String);
}

/** Creates a reader that checks bodies against a schema. It throws Failure (400) that names the wrong field. */
export function bodyReader<const Schema extends TSchema>(schema: Schema): (body: unknown) => Static<Schema> {
  const shape = validatorOf(schema);
  return (body) => {
    if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
    return body;
  };
}
