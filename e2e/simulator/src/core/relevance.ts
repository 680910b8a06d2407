import { wordsIn } from "./vector.ts";

/** Relevance of a document to a query. */
export interface Ranked {
  /** Index in the request. */
  readonly index: number;
  /** Share of the query's words that occur in the document, from 0 to 1. */
  readonly score: number;
}

/** Sorts documents by relevance, the most relevant first. */
export function rank(query: string, documents: readonly string[], maximum = documents.length): readonly Ranked[] {
  const queryWords = new Set(wordsIn(query));
  return documents
    .map((document, index) => {
      const shared = new Set(wordsIn(document).filter((word) => queryWords.has(word)));
      return { index, score: queryWords.size === 0 ? 0 : shared.size / queryWords.size };
    })
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, maximum);
}
