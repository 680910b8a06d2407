import type { Fields, JsonRecord } from "../../json/fields.ts";

/** Prompts that one request may have, as each is a call of its own: beyond it 400. */
export const mostPrompts = 32;

/** The prompts as texts. Tokens are a vendor's own and refused, as is nothing to say. */
export function parsePrompts(fields: Fields): readonly string[] {
  const prompt = fields.need("prompt");
  if (typeof prompt === "string") return [parseOne(prompt, "prompt", fields)];
  if (!Array.isArray(prompt)) throw fields.wrong("prompt", "a string or an array of strings");
  if (prompt.length > mostPrompts) {
    if (typeof prompt[0] !== "string") throw fields.unsupported("prompt");
    throw fields.wrong("prompt", `at most ${mostPrompts} prompts`);
  }
  return prompt.map((each: unknown, index) => parseOne(each, `prompt[${index}]`, fields));
}

function parseOne(prompt: unknown, at: string, fields: Fields): string {
  if (typeof prompt === "number" || Array.isArray(prompt)) throw fields.unsupported("prompt");
  if (typeof prompt !== "string") throw fields.wrong(at, "a string");
  if (prompt === "") throw fields.wrong(at, "a string that is not empty");
  return prompt;
}

/** Whether a body has more than one prompt; an array of numbers is one in tokens. */
export function hasSeveralPrompts({ prompt }: JsonRecord): boolean {
  return Array.isArray(prompt) && prompt.length > 1 && typeof prompt[0] === "string";
}
