import type { JsonObject, Tool } from "./request.ts";

/** The schema of a free-text tool on a wire that has functions only. */
export const customParameters: JsonObject = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

/** Free text as the arguments of the function that stands for a free-text tool. */
export function wrapCustom(text: string): JsonObject {
  return { input: text };
}

/** The free text out of such arguments; as it came where the model wrote something else. */
export function unwrapCustom(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && "input" in value && typeof value.input === "string")
      return value.input;
  } catch {
    // The model wrote no JSON: the text itself is the best that there is.
  }
  return json;
}

export function customNames(tools: readonly Tool[] | undefined): ReadonlySet<string> {
  return new Set(tools?.flatMap((tool) => (tool.kind === "custom" ? [tool.name] : [])));
}
