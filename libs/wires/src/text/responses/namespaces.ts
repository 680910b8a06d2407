import { withoutUndefined } from "@modelgate/contracts";
import { createHash } from "node:crypto";
import type { JsonRecord } from "@modelgate/formats/json";
import type { NamespacedTool, Tool } from "../hub/request.ts";

/** Maximum length of a function's name that all vendors accept. */
const maxCharacters = 64;
/** Number of characters of the hash that replaces the end of a long name. */
const hashCharacters = 8;

/** Returns a name with its namespace, equal for equal input; one that is too long ends in a hash. */
export function qualifiedName(namespace: string | undefined, name: string): string {
  if (namespace === undefined) return name;
  const joined = `${namespace}__${name}`;
  if (joined.length <= maxCharacters) return joined;
  const hash = createHash("sha256").update(joined).digest("hex").slice(0, hashCharacters);
  return `${joined.slice(0, maxCharacters - hashCharacters - 1)}_${hash}`;
}

/** A tool's name on this wire, with its namespace if it has one. */
export interface LocalName {
  readonly namespace?: string;
  readonly name: string;
}

export function localNames(tools: readonly Tool[] | undefined): ReadonlyMap<string, LocalName> {
  const names = new Map<string, LocalName>();
  for (const tool of tools ?? [])
    if (tool.kind === "function" || tool.kind === "custom") {
      const { within } = tool;
      if (within !== undefined) names.set(tool.name, { namespace: within.namespace, name: within.name });
    }
  return names;
}

export function namespaceOf({ namespace, about }: NamespacedTool, tools: readonly JsonRecord[]): JsonRecord {
  return withoutUndefined({ type: "namespace", name: namespace, description: about, tools });
}
