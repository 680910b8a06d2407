import type { VectorsWire } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { OwnMembers } from "../../kind/own-members.ts";

/** Inputs that one request may have, on every wire: beyond it 400. */
export const mostInputs = 2_048;

/** What the vectors are for, in the words of the widest wire. */
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

/** What becomes one vector. */
export type VectorContent =
  | { readonly kind: "text"; readonly text: string }
  /** Numbers of a vendor's own tokenizer; only that vendor can read them. */
  | { readonly kind: "tokens"; readonly tokens: readonly number[] }
  /** Images and the like, in the words of one wire: it travels to that wire only. */
  | { readonly kind: "own"; readonly wire: VectorsWire; readonly value: JsonRecord };

export interface VectorInput {
  readonly content: VectorContent;
  readonly task?: VectorTask | undefined;
  /** Title of a document. */
  readonly title?: string | undefined;
}

/** A request for vectors in the neutral form. Absent means that the client did not say. */
export interface VectorsRequest {
  readonly model: string;
  /** At least one, at most `mostInputs`. */
  readonly inputs: readonly VectorInput[];
  readonly dimensions?: number | undefined;
  /** How the client wants the numbers written. */
  readonly encoding?: "float" | "base64" | undefined;
  readonly user?: string | undefined;
  readonly own?: OwnMembers<VectorsWire> | undefined;
}
