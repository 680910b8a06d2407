import { unsupportedFailure } from "../../text/hub/field-support.ts";
import type { VectorsRequest, VectorTask } from "./request.ts";

/** The inputs of a request for a vendor that takes only text. Throws Failure unsupported_parameter for any other. */
export function plainTexts({ inputs }: Pick<VectorsRequest, "inputs">): readonly string[] {
  return inputs.map(({ content }) => {
    if (content.kind === "text") return content.text;
    throw unsupportedFailure(
      "inputs",
      `The vendor of this model takes text, not ${content.kind === "tokens" ? "tokens" : "this"}.`,
    );
  });
}

/** What all inputs of a request are for; undefined where they differ or say nothing. */
export function commonTask({ inputs }: Pick<VectorsRequest, "inputs">): VectorTask | undefined {
  const tasks = new Set(inputs.map(({ task }) => task));
  return tasks.size === 1 ? inputs[0]?.task : undefined;
}
