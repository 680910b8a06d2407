import type { SchemaError } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../json/fields.ts";
import { firstProblem } from "../json/problem.ts";
import type { ParsedRequest } from "./codec.ts";

/** A compiled schema. */
interface Shape {
  Check(value: unknown): boolean;
  Errors(value: unknown): Iterable<SchemaError>;
}

/**
 * A body in the neutral form, held against the schema that the documentation promises. It is read first, since a
 * reader names what is wrong with one of many alternatives better than a schema can. Throws Failure (400).
 */
export function readChecked<Request>(
  body: unknown,
  shape: Shape,
  parse: (body: JsonRecord) => ParsedRequest<Request>,
): ParsedRequest<Request> {
  if (!isRecord(body)) throw firstProblem(shape.Errors(body), body);
  const parsed = parse(body);
  if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
  return parsed;
}
