import { Failure } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { mostInputs } from "./request.ts";
import type { Vector } from "./vector.ts";

/** Reads a list of vectors as numbers. Throws Failure upstream_error for anything else. */
export function vectorsIn(value: unknown): readonly Vector[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > mostInputs) throw unreadable();
  return value.map((each: unknown) => ({ floats: floatsIn(each) }));
}

/** Reads a vector as numbers. Throws Failure upstream_error for anything else. */
export function floatsIn(value: unknown): readonly number[] {
  if (!Array.isArray(value) || value.length === 0) throw unreadable();
  return value.map((each: unknown) => {
    if (typeof each === "number") return each;
    throw unreadable();
  });
}

/** A member of what may be no object. */
export function memberIn(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function unreadable(): Failure {
  return new Failure("upstream_error", "The vendor's answer has no vector that can be read.");
}
