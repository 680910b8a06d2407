import type { WithUsage } from "../../wire.ts";
import { Failure } from "@modelgate/contracts";
import type { UnstreamedContext, UnstreamedVendor } from "../../kind/index.ts";
import { maxInputs, type VectorsRequest } from "./request.ts";

/** Vectors in the order of the inputs. */
export interface VectorsAnswer extends WithUsage {
  readonly vectors: readonly Vector[];
}

export interface VectorsVendor extends UnstreamedVendor<VectorsRequest, VectorsAnswer> {
  /** Returns the maximum number of inputs in one request for a model. */
  maxInputs(model: string): number;
}

/** Returns the vectors of an answer. Throws Failure upstream_error unless there is one per input. */
export function vectorsFor(
  { request }: UnstreamedContext<VectorsRequest>,
  { vectors }: VectorsAnswer,
): readonly Vector[] {
  const { length } = request.inputs;
  if (vectors.length === length) return vectors;
  throw new Failure("upstream_error", `The vendor returned ${vectors.length} vectors for ${length} inputs.`);
}

/** A vector as its vendor sent it: numbers, or Base64 of little-endian float32. */
export type Vector = { readonly floats: readonly number[] } | { readonly base64: string };

const bytesPerFloat = 4;
const base64Text = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns the vector's numbers. Throws Failure upstream_error for invalid Base64. */
export function floatsOf(vector: Vector): readonly number[] {
  if ("floats" in vector) return vector.floats;
  const bytes = Buffer.from(vector.base64, "base64");
  if (bytes.length === 0 || bytes.length % bytesPerFloat !== 0 || !base64Text.test(vector.base64))
    throw noVectorFailure();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / bytesPerFloat }, (_, index) => {
    const float = view.getFloat32(index * bytesPerFloat, true);
    // JSON cannot express infinity or NaN.
    if (!Number.isFinite(float)) throw noVectorFailure();
    return float;
  });
}

/** Returns the vector as Base64 of little-endian float32. */
export function base64Of(vector: Vector): string {
  if ("base64" in vector) return vector.base64;
  const view = new DataView(new ArrayBuffer(vector.floats.length * bytesPerFloat));
  vector.floats.forEach((float, index) => view.setFloat32(index * bytesPerFloat, float, true));
  return Buffer.from(view.buffer).toString("base64");
}

export function vectorsIn(value: unknown): readonly Vector[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxInputs) throw noVectorFailure();
  return value.map((each: unknown) => ({ floats: floatsIn(each) }));
}

export function floatsIn(value: unknown): readonly number[] {
  if (!Array.isArray(value) || value.length === 0) throw noVectorFailure();
  return value.map((each: unknown) => {
    if (typeof each === "number") return each;
    throw noVectorFailure();
  });
}

function noVectorFailure(): Failure {
  return new Failure("upstream_error", "The vendor's answer has no vector that can be read.");
}
