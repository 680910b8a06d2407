import { wordsIn } from "./vector.ts";

/** A document's place in a ranking. */
export interface Ranked {
  /** Its place in the request. */
  readonly index: number;
  /** From 0 to 1: how many of the query's words it has. */
  readonly score: number;
}

/** Documents by their relevance, the most relevant first; equal ones keep their order. */
export function rank(query: string, documents: readonly string[], most = documents.length): readonly Ranked[] {
  const wanted = new Set(wordsIn(query));
  return documents
    .map((document, index) => {
      const shared = new Set(wordsIn(document).filter((word) => wanted.has(word)));
      return { index, score: wanted.size === 0 ? 0 : shared.size / wanted.size };
    })
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, most);
}
