import { Failure } from "@modelgate/contracts";

export function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Failure("upstream_error", "The vendor's answer has no list.");
}

export function usageIn({ spent }: { readonly [name: string]: unknown }) {
  return typeof spent === "number" ? { inputTokens: spent } : undefined;
}
