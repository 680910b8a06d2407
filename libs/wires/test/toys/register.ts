import { Failure, upstreamWires, type UpstreamWire } from "@modelgate/contracts";

/*
 * One more wire of a kind is its folder and one line in the registry of the kind. These functions add that line, and the
 * name to the list of wires, which are read-only to the type checker alone.
 */

/** Adds a toy wire to the registry of its kind and returns its name as that of a vendor's wire. */
export function register(wires: object, toy: { readonly name: string }): UpstreamWire {
  Object.assign(wires, { [toy.name]: toy });
  Object.assign(upstreamWires, { [upstreamWires.length]: toy.name });
  const wire = upstreamWires.at(-1);
  if (wire === undefined) throw new Error("the list of wires is empty");
  return wire;
}

/** Reads a list of a toy vendor's answer. */
export function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Failure("upstream_error", "The vendor's answer has no list.");
}

/** Reads the input tokens of a toy vendor's answer. */
export function usageIn({ spent }: { readonly [name: string]: unknown }) {
  return typeof spent === "number" ? { inputTokens: spent } : undefined;
}
