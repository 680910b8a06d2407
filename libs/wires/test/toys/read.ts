import { Failure } from "@modelgate/contracts";

/** Reads a list of a toy vendor's answer. */
export function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Failure("upstream_error", "The vendor's answer has no list.");
}

/** Reads the input tokens of a toy vendor's answer. */
export function usageIn({ spent }: { readonly [name: string]: unknown }) {
  return typeof spent === "number" ? { inputTokens: spent } : undefined;
}
