import { listAt, memberOf, textAt } from "../checks/members.ts";
import { demand } from "../checks/refusal.ts";
import { anyText, closed, closedOrNull, either, list, tagged } from "../checks/shape.ts";
import { freshId } from "../core/ids.ts";
import { questionFrom } from "../core/question.ts";
import { wordsIn } from "../core/vector.ts";
import type { Endpoint } from "../vendor.ts";
import { imageUrl } from "./shapes.ts";

const part = tagged("type", {
  text: closed({ type: anyText, text: anyText }),
  image_url: closed({ type: anyText, image_url: closed({ url: imageUrl }) }),
});
const shape = closedOrNull(
  { input: either(anyText, list(anyText, { least: 1 }), list(part, { least: 1 })) },
  { model: anyText },
);

/** Categories, each with a word that flags it. */
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

/** `POST /v1/moderations`: a category is flagged by its own word. */
export const moderations: Endpoint = {
  method: "POST",
  path: /^\/v1\/moderations$/,
  open({ body }) {
    demand(body, shape);
    const inputs = inputsOf(memberOf(body, "input"), listAt(body, "input"));
    const model = textAt(body, "model") ?? "omni-moderation-latest";
    const { directive } = questionFrom(model, inputs);
    return { directive, whole: () => ({ id: freshId("modr-"), model, results: inputs.map(judge) }) };
  },
};

/** One result for every text, and one for all parts together. */
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
