import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cohere } from "../src/ranking/cohere/index.ts";
import type { UnstreamedContext } from "../src/kind/index.ts";
import {
  documentText,
  maxDocuments,
  measureInput,
  type RankedDocument,
  type RankingRequest,
} from "../src/ranking/hub/index.ts";
import { jina } from "../src/ranking/jina/index.ts";
import { failureOf, json, record, word } from "./arbitraries.ts";

const contextOf = (request: Partial<RankingRequest>): UnstreamedContext<RankingRequest> => ({
  model: "mine",
  request: { model: "mine", query: "q", documents: ["a", "b", "c"], returnDocuments: false, ...request },
  answerId: "rr-1",
  inputTokens: 7,
});

const requests = (
  document: fc.Arbitrary<RankedDocument>,
  fields: fc.Arbitrary<Partial<RankingRequest>>,
): fc.Arbitrary<RankingRequest> =>
  fc
    .record({ query: word, documents: fc.array(document, { minLength: 1, maxLength: 4 }), fields, top: fc.nat() })
    .map(({ query, documents, fields, top }) => ({
      model: "theirs",
      query,
      documents,
      returnDocuments: false,
      ...fields,
      ...(top % 2 === 0 ? {} : { top: 1 + (top % documents.length) }),
    }));

const few = fc.integer({ min: 1, max: 9 });

describe("requests are unchanged after rendering and parsing", () => {
  test("jina", () => {
    const fields = record({
      rankFields: fc.array(word, { minLength: 1, maxLength: 2 }),
      maxChunksPerDocument: few,
      maxTokensPerDocument: few,
    });
    const anyRequest = fc
      .tuple(fields, fc.boolean())
      .map(([fields, returnDocuments]) => ({ ...fields, returnDocuments }));
    fc.assert(
      fc.property(requests(fc.oneof(word, json), anyRequest), (request) => {
        const { body, dropped } = jina.vendor.render(request, { model: "theirs" });
        expect(dropped).toEqual([]);
        expect(jina.client.read(body)).toEqual({ request, dropped: [] });
      }),
    );
  });

  test("cohere", () => {
    fc.assert(
      fc.property(requests(word, record({ maxTokensPerDocument: few })), (request) => {
        const { body, dropped } = cohere.vendor.render(request, { model: "theirs" });
        expect(dropped).toEqual([]);
        expect(cohere.client.read(body)).toEqual({ request, dropped: [] });
      }),
    );
  });
});

test.each([
  ["jina", jina],
  ["cohere", cohere],
] as const)("answers are unchanged after rendering and parsing: %s", (_, wire) => {
  const units = fc.oneof(
    fc.record({ inputTokens: fc.nat(999) }),
    fc.record({ requests: fc.nat(9) }),
    fc.record({ inputTokens: fc.nat(999), requests: fc.nat(9) }),
  );
  // JSON cannot express negative zero.
  const score = fc.double({ noNaN: true, min: 0, max: 1 });
  const scores = fc.array(score, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(scores, units, (scores, usage) => {
      const results = scores
        .map((score, index) => ({ index, score, document: { text: `d${index}` } }))
        .toSorted((left, right) => right.score - left.score);
      const answer = { id: "rr-9", results };
      const documents = scores.map((_, index) => `d${index}`);
      const body = wire.client.render({ ...answer, usage }, contextOf({ documents, returnDocuments: true }));
      expect(wire.vendor.parse(body)).toEqual(answer);
      expect(wire.vendor.usage(body)).toEqual(usage);
    }),
  );
});

const clientBody = {
  model: "mine",
  query: "q",
  documents: ["a", { text: "b" }, { title: "c", body: { x: 1 }, note: null }],
  top_k: 2,
  return_documents: true,
  max_chunk_per_doc: 3,
  instruction: "strict",
};

describe("a client on a cohere vendor", () => {
  const { request } = jina.client.read(clientBody);

  test("sends texts only and requests no documents", () => {
    expect(cohere.vendor.render(request, { model: "theirs" })).toEqual({
      body: { model: "theirs", query: "q", documents: ["a", "b", 'title: c\nbody: {"x":1}'], top_n: 2 },
      dropped: ["instruction", "maxChunksPerDocument"],
    });
  });

  test("gets a sorted, limited answer with the documents of the request and both kinds of usage", () => {
    const body = {
      id: "co-1",
      results: [
        { index: 0, relevance_score: 0.1 },
        { index: 2, relevance_score: 0.9 },
        { index: 1, relevance_score: 0.5 },
      ],
      meta: { billed_units: { search_units: 1 }, tokens: { input_tokens: 20 } },
    };
    const answer = { ...cohere.vendor.parse(body), usage: cohere.vendor.usage(body) };
    expect(answer.usage).toEqual({ inputTokens: 20, requests: 1 });
    expect(jina.client.render(answer, contextOf(request))).toEqual({
      id: "co-1",
      model: "mine",
      object: "list",
      results: [
        { index: 2, relevance_score: 0.9, document: clientBody.documents[2] },
        { index: 1, relevance_score: 0.5, document: { text: "b" } },
      ],
      usage: { prompt_tokens: 20, completion_tokens: 0, total_tokens: 20 },
      meta: { billed_units: { search_units: 1 } },
    });
  });

  test("a picture is refused", () => {
    const pictures = { ...request, documents: [{ image: "https://a/b.png" }] };
    expect(failureOf(() => cohere.vendor.render(pictures, { model: "theirs" }))).toMatchObject({
      code: "unsupported_parameter",
      param: "documents",
    });
  });
});

test("documents with a text stay objects if their fields are named", () => {
  const documents = [{ text: "a" }];
  const { request } = jina.client.read({ model: "m", query: "q", documents, rank_fields: ["text"] });
  expect(jina.vendor.render(request, { model: "theirs" }).body).toMatchObject({ documents });
});

test("a vendor of the client's wire gets the request with aliases resolved, and texts as strings", () => {
  const { request } = jina.client.read(clientBody);
  expect(jina.vendor.render(request, { model: "theirs" })).toEqual({
    body: {
      model: "theirs",
      query: "q",
      documents: ["a", "b", clientBody.documents[2]],
      top_n: 2,
      return_documents: true,
      max_chunks_per_doc: 3,
      instruction: "strict",
    },
    dropped: [],
  });
});

test.each<[string, RankedDocument, readonly string[] | undefined, string]>([
  ["a text", "a", ["title"], "a"],
  ["its text", { text: "a", title: "t" }, undefined, "a"],
  ["chosen members", { text: "a", title: "t", other: 1 }, ["title", "text", "absent"], "title: t\ntext: a"],
  ["all members", { title: "t", year: 3 }, undefined, "title: t\nyear: 3"],
])("a document becomes a text: %s", (_, document, rankFields, text) => {
  expect(documentText(document, rankFields)).toBe(text);
});

describe("answers", () => {
  test.each<[string, object, object]>([
    ["usage", { usage: { total_tokens: 5 } }, { inputTokens: 5 }],
    ["meta", { meta: { tokens: { input_tokens: 6 } } }, { inputTokens: 6 }],
  ])("tokens are read from %s", (_, meta, usage) => {
    expect(jina.vendor.usage({ ...meta })).toEqual(usage);
  });

  test("an answer without usage gets no invented usage", () => {
    const body = { data: [{ index: 0, relevance_score: 1, document: "a" }] };
    const answer = jina.vendor.parse(body);
    expect(answer).toEqual({ id: "", results: [{ index: 0, score: 1, document: { text: "a" } }] });
    expect(jina.vendor.usage(body)).toBeUndefined();
    expect(jina.client.render(answer, contextOf({}))).toEqual({
      id: "rr-1",
      model: "mine",
      object: "list",
      results: [{ index: 0, relevance_score: 1 }],
    });
  });

  test("an answer of SGLang is read", () => {
    const data = [
      { score: 0.2, document: "a", index: 0, meta_info: {} },
      { score: 0.9, document: "b", index: 1, meta_info: {} },
    ];
    expect(jina.vendor.parse({ data }).results).toEqual([
      { index: 1, score: 0.9, document: { text: "b" } },
      { index: 0, score: 0.2, document: { text: "a" } },
    ]);
  });

  test.each<[string, object]>([
    ["nothing", {}],
    ["no index", { results: [{ relevance_score: 1 }] }],
    ["no score", { results: [{ index: 1 }] }],
    ["a text in place of a score", { results: [{ index: 1, relevance_score: "1" }] }],
  ])("%s in a vendor's answer is a failure", (_, body) => {
    expect(failureOf(() => jina.vendor.parse({ ...body })).code).toBe("upstream_error");
  });

  test("a result for an unknown document is the vendor's failure", () => {
    const answer = { id: "", results: [{ index: 3, score: 1 }] };
    expect(failureOf(() => jina.client.render(answer, contextOf({}))).code).toBe("upstream_error");
  });
});

test.each<[string, object, string]>([
  ["no model", { query: "q", documents: ["a"] }, "model"],
  ["no query", { model: "m", documents: ["a"] }, "query"],
  ["an empty query", { model: "m", query: "", documents: ["a"] }, "query"],
  ["no documents", { model: "m", query: "q" }, "documents"],
  ["an empty list", { model: "m", query: "q", documents: [] }, "documents"],
  ["a number", { model: "m", query: "q", documents: ["a", 1] }, "documents[1]"],
  ["too many", { model: "m", query: "q", documents: Array.from({ length: maxDocuments + 1 }, () => "") }, "documents"],
  ["no results", { model: "m", query: "q", documents: ["a"], top_n: 0 }, "top_n"],
  [
    "a text in place of true",
    { model: "m", query: "q", documents: ["a"], return_documents: "yes" },
    "return_documents",
  ],
  ["fields of another type", { model: "m", query: "q", documents: ["a"], rank_fields: [1] }, "rank_fields[0]"],
])("an error names the invalid field: %s", (_, body, param) => {
  expect(failureOf(() => jina.client.read(body))).toMatchObject({ status: 400, param });
});

test("admission counts the query once per document", () => {
  expect(measureInput(jina.client.read({ model: "m", query: "abcd", documents: ["a", "bc"] }).request)).toEqual({
    mediaTokens: 0,
    textBytes: 1 + 4 + 2 + 4 + 2 * (4 + 4),
    maxOutputTokens: 0,
  });
  expect(jina.client.inspectedMembers).toEqual(expect.arrayContaining(["model", "query", "documents"]));
});
