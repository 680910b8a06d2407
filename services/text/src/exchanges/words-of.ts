import type { TextAnswer } from "@modelgate/wires/text";

/** What the model wrote in a whole answer. */
export function wordsOf({ choices }: TextAnswer): string {
  const parts = choices.flatMap((choice) => choice.parts);
  return parts.map((part) => (part.kind === "tool-call" ? part.arguments : "text" in part ? part.text : "")).join("");
}
