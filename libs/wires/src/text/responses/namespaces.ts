import { present } from "@modelgate/contracts";
import { createHash } from "node:crypto";
import type { JsonObject, NamespacedTool, Tool } from "../hub/request.ts";

/** Longest name of a function that every vendor takes. */
const maxCharacters = 64;
/** Characters of the hash that stands for what was cut off. */
const hashCharacters = 8;

/**
 * The one name of a tool that is in a namespace: other wires have none. It is the same whenever it is made, so a call
 * in the history finds its tool; a name that would be too long ends in a hash of itself.
 */
export function qualifiedName(namespace: string | undefined, name: string): string {
  if (namespace === undefined) return name;
  const joined = `${namespace}__${name}`;
  if (joined.length <= maxCharacters) return joined;
  const hash = createHash("sha256").update(joined).digest("hex").slice(0, hashCharacters);
  return `${joined.slice(0, maxCharacters - hashCharacters - 1)}_${hash}`;
}

/** A tool's name as this wire says it: in its namespace, if it is in one. */
export interface LocalName {
  readonly namespace?: string;
  readonly name: string;
}

/** Names of a request's tools as this wire says them, by the one name that they have elsewhere. */
export function localNames(tools: readonly Tool[] | undefined): ReadonlyMap<string, LocalName> {
  const names = new Map<string, LocalName>();
  for (const tool of tools ?? [])
    if (tool.kind === "function" || tool.kind === "custom") {
      const { within } = tool;
      if (within !== undefined) names.set(tool.name, { namespace: within.namespace, name: within.name });
    }
  return names;
}

/** The tools of one namespace as this wire writes them. */
export function namespaceOf({ namespace, about }: NamespacedTool, tools: readonly JsonObject[]): JsonObject {
  return present({ type: "namespace", name: namespace, description: about, tools });
}
