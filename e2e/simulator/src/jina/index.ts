import { listAt, memberOf, numberAt, textAt } from "../checks/members.ts";
import { bracketPath, requireShape } from "../checks/refusal.ts";
import { shapeOf } from "../checks/notation.ts";
import { answerFor } from "../core/answer.ts";
import { questionFrom } from "../core/question.ts";
import { rank } from "../core/relevance.ts";
import { admitBearer, createVendor, type Endpoint, type Vendor } from "../vendor.ts";

const shape = shapeOf(`nullable<{
  model: filled, query: filled, documents: (string | { text: string })[1..2048], top_n?: integer(1),
  return_documents?: boolean, max_doc_length?: integer(1), truncation?: boolean
}>`);

const rerank: Endpoint = {
  method: "POST",
  path: /^\/v1\/rerank$/,
  open({ body }) {
    requireShape(body, shape);
    const model = textAt(body, "model") ?? "";
    const query = textAt(body, "query") ?? "";
    const documents = listAt(body, "documents").map((one) => textAt(one, "text") ?? String(one));
    const question = questionFrom(model, [...documents, query]);
    const ranked = rank(question.words, documents, numberAt(body, "top_n"));
    const withDocuments = memberOf(body, "return_documents") !== false;
    return {
      directive: question.directive,
      whole: (behaviour) => {
        const { counts, usage } = answerFor(question, { ...behaviour, text: "" });
        return {
          model,
          object: "list",
          ...(usage !== null && { usage: usage ?? { total_tokens: counts.inputTokens } }),
          results: ranked.map(({ index, score }) => ({
            index,
            relevance_score: score,
            ...(withDocuments && { document: { text: documents[index] } }),
          })),
        };
      },
    };
  },
};

export const jina: Vendor = createVendor({
  prefix: "/jina",
  endpoints: [rerank],
  authenticate: ({ headers }) => admitBearer(headers, "The API key is not a valid one."),
  renderError: ({ message, path }) => ({ detail: path.length > 0 ? `[${bracketPath(path)}] ${message}` : message }),
});
