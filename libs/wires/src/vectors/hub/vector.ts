import { Failure } from "@modelgate/contracts";

/** A vector as its vendor wrote it: numbers, or Base64 of little-endian float32. Converted only where the client wants the other. */
export type Vector = { readonly floats: readonly number[] } | { readonly base64: string };

const bytesPerFloat = 4;
const base64Text = /^[A-Za-z0-9+/]*={0,2}$/;

/** The vector's numbers. Throws Failure upstream_error for Base64 that holds none. */
export function floatsOf(vector: Vector): readonly number[] {
  if ("floats" in vector) return vector.floats;
  const bytes = Buffer.from(vector.base64, "base64");
  if (bytes.length === 0 || bytes.length % bytesPerFloat !== 0 || !base64Text.test(vector.base64)) throw unreadable();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / bytesPerFloat }, (_, at) => {
    const float = view.getFloat32(at * bytesPerFloat, true);
    // JSON has no word for the others.
    if (!Number.isFinite(float)) throw unreadable();
    return float;
  });
}

/** The vector as Base64 of little-endian float32; numbers are rounded to float32. */
export function base64Of(vector: Vector): string {
  if ("base64" in vector) return vector.base64;
  const view = new DataView(new ArrayBuffer(vector.floats.length * bytesPerFloat));
  vector.floats.forEach((float, at) => view.setFloat32(at * bytesPerFloat, float, true));
  return Buffer.from(view.buffer).toString("base64");
}

function unreadable(): Failure {
  return new Failure("upstream_error", "The vendor's answer has a vector that cannot be read.");
}
