import { bodies } from "@modelgate/contracts";
import type { Static } from "typebox";
import { Compile } from "typebox/compile";
import { firstProblem } from "../json/problem.ts";

const shape = Compile(bodies.ClientSecretRequest);

/** The members that decide what such a key may do. */
export const reliedOfClientSecrets = Object.keys(bodies.ClientSecretRequest.properties);

/** Checks a request for a short-lived key. Throws Failure (400) naming the field. */
export function askOfClientSecret(value: unknown): Static<typeof bodies.ClientSecretRequest> {
  if (!shape.Check(value)) throw firstProblem(shape.Errors(value), value);
  return value;
}
