import type { VectorTask } from "../hub/request.ts";

/** What each task is called here. */
export const taskWords = {
  query: "RETRIEVAL_QUERY",
  document: "RETRIEVAL_DOCUMENT",
  similarity: "SEMANTIC_SIMILARITY",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
  "question-answering": "QUESTION_ANSWERING",
  "fact-verification": "FACT_VERIFICATION",
  "code-query": "CODE_RETRIEVAL_QUERY",
} as const satisfies Record<VectorTask, string>;

/** The word for a task that was not given. */
export const noTask = "TASK_TYPE_UNSPECIFIED";
