import type { VectorsWire } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { bytesOfTexts, type InputSize } from "../../kind/index.ts";
import type { OwnMembers } from "../../kind/own-members.ts";
import { measurePart } from "../../text/content/media.ts";
import { unsupportedFailure } from "../../text/hub/field-support.ts";
import { mediaOf, measureTypedPart, type Media } from "../../text/media.ts";

/** Maximum of inputs of one request, on every wire: beyond it 400. */
export const maxInputs = 2_048;

/** Purposes of vectors. */
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

/** Content of one vector. */
export type VectorContent =
  | { readonly kind: "text"; readonly text: string }
  /** Numbers of a vendor's own tokenizer; only that vendor can read them. */
  | { readonly kind: "tokens"; readonly tokens: readonly number[] }
  /** Images and the like, in the members of one wire: only vendors of that wire get it. */
  | { readonly kind: "own"; readonly wire: VectorsWire; readonly value: JsonRecord };

export interface VectorInput {
  readonly content: VectorContent;
  readonly task?: VectorTask | undefined;
  /** Title of a document. */
  readonly title?: string | undefined;
}

/** A request for vectors in the neutral form. Absent: not given by the client. */
export interface VectorsRequest {
  readonly model: string;
  /** At least one, at most `maxInputs`. */
  readonly inputs: readonly VectorInput[];
  readonly dimensions?: number | undefined;
  /** Form of the numbers in the client's answer. */
  readonly encoding?: "float" | "base64" | undefined;
  readonly user?: string | undefined;
  readonly own?: OwnMembers<VectorsWire> | undefined;
}

/** Returns the inputs for a vendor that takes only text. Throws Failure unsupported_parameter for any other. */
export function plainTexts({ inputs }: Pick<VectorsRequest, "inputs">): readonly string[] {
  return inputs.map(({ content }) => {
    if (content.kind === "text") return content.text;
    throw unsupportedFailure(
      "inputs",
      `The vendor of this model takes text, not ${content.kind === "tokens" ? "tokens" : "this"}.`,
    );
  });
}

/** Returns the purpose of all inputs; undefined where they differ or have none. */
export function commonTask({ inputs }: Pick<VectorsRequest, "inputs">): VectorTask | undefined {
  const tasks = new Set(inputs.map(({ task }) => task));
  return tasks.size === 1 ? inputs[0]?.task : undefined;
}

/** Measures a request. Vectors are no output tokens. */
export function sizeOf({ inputs }: VectorsRequest): InputSize {
  const texts = inputs.flatMap(({ content, title }) => [...textsOf(content), ...(title === undefined ? [] : [title])]);
  let characters = 0;
  let mediaTokens = 0;
  for (const { content } of inputs) {
    const media = measured(content);
    characters += media.characters;
    mediaTokens += media.tokens;
  }
  return { textBytes: Math.max(0, bytesOfTexts(texts) - characters), mediaTokens, maxOutputTokens: 0 };
}

function textsOf(content: VectorContent): readonly string[] {
  if (content.kind === "text") return [content.text];
  return content.kind === "own" ? [JSON.stringify(content.value)] : [];
}

/** Measures a part of a content in either wire. */
function measureAny(part: JsonRecord): Media | undefined {
  return measureTypedPart(part) ?? measurePart(part);
}

function measured(content: VectorContent): Media {
  if (content.kind === "tokens") return { characters: 0, tokens: content.tokens.length };
  return content.kind === "own" ? mediaOf([[content.value]], measureAny) : { characters: 0, tokens: 0 };
}
