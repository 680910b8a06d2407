import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { readChecked } from "../../kind/index.ts";
import type { Parsed } from "../../wire.ts";
import type { ImageRequest } from "./request.ts";

/** Members that decide what a call may do and cost, in either dialect. */
export const relied = ["model", "n", "size", "input", "parameters"];

const compiled = Compile(bodies.ImageRequest);
/** Members that are null count as absent, as for the parser. */
const shape = {
  Check: (body: unknown) => compiled.Check(withoutNulls(body)),
  Errors: (body: unknown) => compiled.Errors(withoutNulls(body)),
};

function withoutNulls(body: unknown): unknown {
  return isRecord(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) : body;
}

/** Parses and checks a JSON body of either dialect. Throws Failure (400) naming the field. */
export function readImages(body: unknown, parse: (body: JsonRecord) => Parsed<ImageRequest>): Parsed<ImageRequest> {
  return readChecked(body, shape, parse);
}
