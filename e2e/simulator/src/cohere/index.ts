import { listAt, numberAt, textAt } from "../checks/members.ts";
import { requireShape } from "../checks/refusal.ts";
import { shapeOf } from "../checks/notation.ts";
import { embed } from "./embed.ts";
import { freshId } from "../core/ids.ts";
import { questionFrom } from "../core/question.ts";
import { rank } from "../core/relevance.ts";
import { admitBearer, createVendor, type Endpoint, type Vendor } from "../vendor.ts";

const shape = shapeOf(`nullable<{
  model: filled, query: filled, documents: string[1..1000], top_n?: integer(1), max_tokens_per_doc?: integer(1),
  priority?: integer(0, 999)
}>`);

/** Cohere bills this number of documents as one search. */
const documentsPerSearch = 100;

const rerank: Endpoint = {
  method: "POST",
  path: /^\/v2\/rerank$/,
  open({ body }) {
    requireShape(body, shape);
    const documents = listAt(body, "documents").map(String);
    const { words, directive } = questionFrom(textAt(body, "model") ?? "", [textAt(body, "query") ?? ""]);
    return {
      directive,
      whole: () => ({
        id: freshId("rr-"),
        results: rank(words, documents, numberAt(body, "top_n")).map(({ index, score }) => ({
          index,
          relevance_score: score,
        })),
        meta: {
          api_version: { version: "2" },
          billed_units: { search_units: Math.ceil(documents.length / documentsPerSearch) },
        },
      }),
    };
  },
};

export const cohere: Vendor = createVendor({
  prefix: "/cohere",
  endpoints: [rerank, embed],
  authenticate: ({ headers }) => admitBearer(headers, "The API token is not a valid one."),
  renderError: ({ message }) => ({ id: freshId("err-"), message }),
});
