import { listAt, memberOf, textAt } from "../checks/members.ts";
import { requireShape } from "../checks/refusal.ts";
import { shapeOf } from "../checks/notation.ts";
import { freshId } from "../core/ids.ts";
import { questionFrom } from "../core/question.ts";
import { wordsIn } from "../core/vector.ts";
import type { Endpoint } from "../vendor.ts";
import { sharedShapes } from "./shapes.ts";

const shape = shapeOf(
  `nullable<{
    input: string | string[1..]
      | ({ type: "text", text: string } | { type: "image_url", image_url: { url: ImageUrl } })[1..],
    model?: string
  }>`,
  sharedShapes,
);

/** Categories, and the words that flag them. */
const categories: Readonly<Record<string, string>> = {
  harassment: "insult",
  "harassment/threatening": "menace",
  sexual: "sexual",
  "sexual/minors": "minors",
  hate: "hate",
  "hate/threatening": "persecute",
  illicit: "smuggle",
  "illicit/violent": "bomb",
  "self-harm": "hurt",
  "self-harm/intent": "despair",
  "self-harm/instructions": "overdose",
  violence: "kill",
  "violence/graphic": "gore",
};

const [flaggedScore, cleanScore] = [0.9, 0.0001];

export const moderations: Endpoint = {
  method: "POST",
  path: /^\/v1\/moderations$/,
  open({ body }) {
    requireShape(body, shape);
    const inputs = inputsOf(memberOf(body, "input"), listAt(body, "input"));
    const model = textAt(body, "model") ?? "omni-moderation-latest";
    const { directive } = questionFrom(model, inputs);
    return { directive, whole: () => ({ id: freshId("modr-"), model, results: inputs.map(judge) }) };
  },
};

/** Returns the texts to judge. The parts of one input are judged together. */
function inputsOf(input: unknown, elements: readonly unknown[]): readonly string[] {
  if (typeof input === "string") return [input];
  const texts = elements.filter((element) => typeof element === "string");
  return texts.length > 0 ? texts : [elements.map((element) => textAt(element, "text") ?? "").join("\n")];
}

function judge(text: string): object {
  const words = wordsIn(text);
  const found = Object.entries(categories).map(([name, word]) => [name, words.includes(word)] as const);
  return {
    flagged: found.some(([, is]) => is),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([name, is]) => [name, is ? flaggedScore : cleanScore])),
    category_applied_input_types: Object.fromEntries(found.map(([name]) => [name, ["text"]])),
  };
}
