import { own } from "../../json/own.ts";
import type { JsonRecord } from "../../json/fields.ts";
import type { VectorTask } from "../hub/request.ts";

/** Members that say to vendors of this wire what the vectors are for. */
const members = ["input_type", "task"] as const;

/** Their words for it; the wire's own members keep the word for vendors that take it. */
const words: Readonly<Record<string, VectorTask>> = {
  query: "query",
  search_query: "query",
  "retrieval.query": "query",
  document: "document",
  passage: "document",
  search_document: "document",
  "retrieval.passage": "document",
  similarity: "similarity",
  semantic_similarity: "similarity",
  "text-matching": "similarity",
  classification: "classification",
  clustering: "clustering",
  separation: "clustering",
  "code.query": "code-query",
  code_retrieval_query: "code-query",
};

/** What the vectors are for, and the members that say so; nothing for an unknown word. */
export function taskOf(body: JsonRecord): {
  readonly task: VectorTask | undefined;
  readonly read: readonly string[];
} {
  for (const name of members) {
    const word = body[name];
    const task = typeof word === "string" ? own(words, word.toLowerCase()) : undefined;
    if (task !== undefined) return { task, read: [name] };
  }
  return { task: undefined, read: [] };
}
