import type { Failure, VectorsWire } from "@modelgate/contracts";
import type { Fields, JsonRecord } from "@modelgate/formats/json";
import { countTextBytes, type InputSize, type AdditionalMembers } from "../../kind/index.ts";
import { measurePart } from "../../text/content/sources.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import { mediaOf, measureTypedPart, type Media } from "../../text/params.ts";

export const maxInputs = 2_048;

export const vectorTasks = [
  "query",
  "document",
  "similarity",
  "classification",
  "clustering",
  "question-answering",
  "fact-verification",
  "code-query",
] as const;
export type VectorTask = (typeof vectorTasks)[number];

export type VectorContent =
  | { readonly kind: "text"; readonly text: string }
  /** Token ids. Only vendors with the same tokenizer can read them. */
  | { readonly kind: "tokens"; readonly tokens: readonly number[] }
  /** Content in the form of one wire, such as images. Only vendors of that wire can read it. */
  | { readonly kind: "own"; readonly wire: VectorsWire; readonly value: JsonRecord };

export interface VectorInput {
  readonly content: VectorContent;
  readonly task?: VectorTask | undefined;
  readonly title?: string | undefined;
}

/** A request for vectors in the neutral form. */
export interface VectorsRequest {
  readonly model: string;
  readonly inputs: readonly VectorInput[];
  readonly dimensions?: number | undefined;
  readonly encoding?: "float" | "base64" | undefined;
  readonly user?: string | undefined;
  readonly additional?: AdditionalMembers<VectorsWire> | undefined;
}

/** Returns the inputs as texts. Throws Failure unsupported_parameter for any other input. */
export function plainTexts({ inputs }: Pick<VectorsRequest, "inputs">): readonly string[] {
  return inputs.map(({ content }) => {
    if (content.kind === "text") return content.text;
    throw noTextFailure(content);
  });
}

export function noTextFailure({ kind }: VectorContent): Failure {
  const message = `The vendor of this model accepts text, not ${kind === "tokens" ? "tokens" : "this"}.`;
  return unsupportedFailure("inputs", message);
}

/** Parses the inputs on a wire that has only texts. */
export function parseTexts(fields: Fields, name: string): readonly string[] {
  const value = fields.raw(name);
  const texts = typeof value === "string" ? [value] : (fields.texts(name) ?? []);
  if (texts.length === 0 || texts.length > maxInputs) throw fields.wrong(name, `1 to ${maxInputs} texts`);
  return texts;
}

/** Returns the task, title and user of a request, for a vendor that supports none of them. */
export function optionalFieldsOf({ inputs, user }: VectorsRequest): JsonRecord {
  return {
    task: inputs.some(({ task }) => task !== undefined),
    title: inputs.some(({ title }) => title !== undefined),
    user,
  };
}

/** Returns the task of all inputs; undefined if their tasks differ. */
export function commonTask({ inputs }: Pick<VectorsRequest, "inputs">): VectorTask | undefined {
  const tasks = new Set(inputs.map(({ task }) => task));
  return tasks.size === 1 ? inputs[0]?.task : undefined;
}

/** Measures a request. Vectors are not output tokens. */
export function measureInput({ inputs }: VectorsRequest): InputSize {
  const texts = inputs.flatMap(({ content, title }) => [...textsOf(content), ...(title === undefined ? [] : [title])]);
  let characters = 0;
  let mediaTokens = 0;
  for (const { content } of inputs) {
    const media = measureContent(content);
    characters += media.characters;
    mediaTokens += media.tokens;
  }
  return { textBytes: Math.max(0, countTextBytes(texts) - characters), mediaTokens, maxOutputTokens: 0 };
}

function textsOf(content: VectorContent): readonly string[] {
  if (content.kind === "text") return [content.text];
  return content.kind === "own" ? [JSON.stringify(content.value)] : [];
}

function measureContent(content: VectorContent): Media {
  if (content.kind === "tokens") return { characters: 0, tokens: content.tokens.length };
  return content.kind === "own"
    ? mediaOf([[content.value]], (part) => measureTypedPart(part) ?? measurePart(part))
    : { characters: 0, tokens: 0 };
}
