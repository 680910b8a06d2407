import { Failure } from "@modelgate/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UnstreamedContext } from "../src/kind/index.ts";
import { contentEmbeddings, embedContent } from "../src/vectors/content/index.ts";
import { embeddings } from "../src/vectors/embeddings/index.ts";
import { maxInputs, measureInput, vectorTasks } from "../src/vectors/hub/request.ts";
import { base64Of, floatsOf } from "../src/vectors/hub/answer.ts";
import type { VectorContent, VectorsRequest } from "../src/vectors/hub/request.ts";
import { failureOf, record, word } from "./arbitraries.ts";

const texts = (...all: readonly string[]): VectorsRequest["inputs"] =>
  all.map((text) => ({ content: { kind: "text", text } }));
const contextOf = (request: Partial<VectorsRequest>): UnstreamedContext<VectorsRequest> => ({
  model: "mine",
  request: { model: "mine", inputs: texts("a"), ...request },
  answerId: "id",
  inputTokens: 7,
});

const float = fc.float({ noNaN: true, noDefaultInfinity: true });
const text = fc.record({ kind: fc.constant("text" as const), text: word });
const tokens = fc.record({
  kind: fc.constant("tokens" as const),
  tokens: fc.array(fc.nat(100_000), { minLength: 1, maxLength: 4 }),
});
const many = <Value>(of: fc.Arbitrary<Value>) => fc.array(of, { minLength: 1, maxLength: 4 });

describe("vectors in both encodings", () => {
  test("have the expected values", () => {
    expect(base64Of({ floats: [0.5, -1, 0.25] })).toBe("AAAAPwAAgL8AAIA+");
    expect(floatsOf({ base64: "AAAAPwAAgL8AAIA+" })).toEqual([0.5, -1, 0.25]);
  });

  test("float32 numbers are unchanged after Base64 and back", () => {
    fc.assert(
      fc.property(fc.array(float, { minLength: 1 }), (floats) => {
        expect(floatsOf({ base64: base64Of({ floats }) })).toEqual(floats);
      }),
    );
  });

  test.each(["", "AAAA", "AAAAPw!!", "AADAfw=="])("invalid Base64 is the vendor's failure: %j", (base64) => {
    expect(failureOf(() => floatsOf({ base64 })).code).toBe("upstream_error");
  });
});

describe("requests are unchanged after rendering and parsing", () => {
  test("embeddings", () => {
    const requests = fc
      .record({
        contents: fc.oneof<fc.Arbitrary<readonly VectorContent[]>[]>(many(text), many(tokens)),
        fields: record({
          dimensions: fc.integer({ min: 1, max: 4096 }),
          encoding: fc.constantFrom("float", "base64"),
          user: word,
        }),
      })
      .map(({ contents, fields }): VectorsRequest => ({
        model: "theirs",
        inputs: contents.map((content) => ({ content })),
        ...fields,
      }));
    fc.assert(
      fc.property(requests, (request) => {
        const { body, dropped } = embeddings.vendor.render(request, { model: "theirs" });
        expect(dropped).toEqual([]);
        expect(embeddings.client.read(body, {})).toEqual({ request, dropped: [] });
      }),
    );
  });

  test("content", () => {
    const input = fc.record(
      { content: text, task: fc.constantFrom(...vectorTasks), title: word },
      { requiredKeys: ["content"] },
    );
    const requests = fc
      .record({
        inputs: fc.array(input, { minLength: 1, maxLength: 4 }),
        fields: record({ dimensions: fc.integer({ min: 1, max: 4096 }) }),
      })
      .map(({ inputs, fields }): VectorsRequest => ({ model: "theirs", inputs, ...fields }));
    fc.assert(
      fc.property(requests, (request) => {
        const { body, dropped } = contentEmbeddings.vendor.render(request, { model: "theirs" });
        expect(dropped).toEqual([]);
        expect(contentEmbeddings.client.read(body, {})).toEqual({ request, dropped: [] });
        expect(contentEmbeddings.client.read(body, { model: "theirs" })).toEqual({ request, dropped: [] });
      }),
    );
  });
});

test.each([
  ["embeddings", embeddings],
  ["content", contentEmbeddings],
] as const)("answers are unchanged after rendering and parsing: %s", (_, wire) => {
  const vectors = many(fc.array(float, { minLength: 1, maxLength: 5 }).map((floats) => ({ floats })));
  fc.assert(
    fc.property(vectors, fc.nat(999), (vectors, inputTokens) => {
      const usage = { inputTokens };
      const context = contextOf({ inputs: texts(...vectors.map(() => "a")) });
      const body = wire.client.render({ vectors, usage }, context);
      expect(wire.vendor.parse(body)).toEqual({ vectors });
      expect(wire.vendor.usage(body)).toEqual(usage);
    }),
  );
});

test.each([
  ["a text", "hi", [{ kind: "text", text: "hi" }]],
  [
    "texts",
    ["hi", "ho"],
    [
      { kind: "text", text: "hi" },
      { kind: "text", text: "ho" },
    ],
  ],
  ["tokens", [1, 2], [{ kind: "tokens", tokens: [1, 2] }]],
  [
    "arrays of tokens",
    [[1], [2, 3]],
    [
      { kind: "tokens", tokens: [1] },
      { kind: "tokens", tokens: [2, 3] },
    ],
  ],
  ["objects", [{ image: "u" }], [{ kind: "own", wire: "embeddings", value: { image: "u" } }]],
])("input may be %s", (_, input, contents) => {
  const { request } = embeddings.client.read({ model: "m", input }, {});
  expect(request.inputs).toEqual(contents.map((content) => ({ content })));
  expect(embeddings.vendor.render(request, { model: "theirs" }).body).toEqual({ model: "theirs", input });
  expect(embeddings.client.read({ model: "m", input }, {}).request).toEqual(request);
});

describe("an embeddings client on a content vendor", () => {
  const clientBody = {
    model: "mine",
    input: ["a", "b"],
    encoding_format: "base64",
    dimensions: 2,
    user: "u",
    input_type: "query",
    strange: 1,
  };
  const { request } = embeddings.client.read(clientBody, {});

  test("its request is converted", () => {
    const each = { model: "models/theirs", taskType: "RETRIEVAL_QUERY", outputDimensionality: 2 };
    expect(contentEmbeddings.vendor.render(request, { model: "theirs" })).toEqual({
      body: {
        requests: [
          { ...each, content: { parts: [{ text: "a" }] } },
          { ...each, content: { parts: [{ text: "b" }] } },
        ],
      },
      dropped: ["strange", "user"],
    });
  });

  test("its answer is in Base64 as requested, with the gateway's token count", () => {
    const answer = contentEmbeddings.vendor.parse({ embeddings: [{ values: [0.5, -1, 0.25] }, { values: [1] }] });
    expect(embeddings.client.render(answer, contextOf(request))).toEqual({
      object: "list",
      data: [
        { object: "embedding", index: 0, embedding: "AAAAPwAAgL8AAIA+" },
        { object: "embedding", index: 1, embedding: "AACAPw==" },
      ],
      model: "mine",
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
  });

  test("additional members are sent to a vendor of the same wire", () => {
    expect(embeddings.vendor.render(request, { model: "theirs" })).toEqual({
      body: { ...clientBody, model: "theirs" },
      dropped: [],
    });
  });

  test("token inputs are refused", () => {
    const render = (inputs: VectorsRequest["inputs"]) =>
      failureOf(() => contentEmbeddings.vendor.render({ model: "m", inputs }, { model: "theirs" }));
    expect(render([{ content: { kind: "tokens", tokens: [1] } }])).toMatchObject({
      code: "unsupported_parameter",
      param: "inputs",
    });
  });
});

describe("a content client on an embeddings vendor", () => {
  const single = {
    content: { role: "user", parts: [{ text: "a" }, { text: "b" }] },
    task_type: "RETRIEVAL_DOCUMENT",
    title: "T",
    outputDimensionality: 3,
    autoTruncate: true,
  };

  test("its request is converted", () => {
    const { request, dropped } = embedContent.client.read(single, { model: "mine" });
    expect(dropped).toEqual(["autoTruncate"]);
    expect(embeddings.vendor.render(request, { model: "theirs" })).toEqual({
      body: { model: "theirs", input: "a\nb", dimensions: 3 },
      dropped: ["task", "title"],
    });
  });

  test("its answer is in order, in either encoding", () => {
    const body = {
      model: "theirs",
      data: [
        { index: 1, embedding: [1] },
        { index: 0, embedding: "AAAAPwAAgL8AAIA+" },
      ],
      usage: { total_tokens: 4 },
    };
    const answer = { ...embeddings.vendor.parse(body), usage: embeddings.vendor.usage(body) };
    expect(contentEmbeddings.client.render(answer, contextOf({ inputs: texts("a", "b") }))).toEqual({
      embeddings: [{ values: [0.5, -1, 0.25] }, { values: [1] }],
      usageMetadata: { promptTokenCount: 4 },
    });
    const one = { vectors: [{ floats: [1] }] };
    expect(embedContent.client.render(one, contextOf({}))).toEqual({ embedding: { values: [1] } });
    expect(contentEmbeddings.vendor.parse({ embedding: { values: [1] } })).toEqual(one);
  });

  test("images are sent only on their wire", () => {
    const content = { parts: [{ inlineData: { mimeType: "image/png", data: "AA==" } }] };
    const { request, dropped } = embedContent.client.read({ content }, { model: "mine" });
    expect(dropped).toEqual([]);
    expect(contentEmbeddings.vendor.render(request, { model: "theirs" }).body).toMatchObject({
      requests: [{ content }],
    });
    expect(failureOf(() => embeddings.vendor.render(request, { model: "theirs" })).param).toBe("inputs");
  });
});

test.each([
  ["text-embedding-v4", 10],
  ["text-embedding-3-small", maxInputs],
])("a request for %s has at most %d inputs", (model, max) => {
  expect(embeddings.vendor.maxInputs(model)).toBe(max);
});

describe("an invalid field is named", () => {
  const big = Array.from({ length: maxInputs + 1 }, () => "a");
  test.each<[string, unknown, string]>([
    ["no model", { input: "a" }, "model"],
    ["no input", { model: "m" }, "input"],
    ["an empty text", { model: "m", input: "" }, "input"],
    ["no inputs", { model: "m", input: [] }, "input"],
    ["one empty text of two", { model: "m", input: ["a", ""] }, "input[1]"],
    ["one empty array of tokens", { model: "m", input: [[1], []] }, "input[1]"],
    ["half a token", { model: "m", input: [[1], [0.5]] }, "input[1][0]"],
    ["too many inputs", { model: "m", input: big }, "input"],
    ["a number as input", { model: "m", input: 3 }, "input"],
    ["no dimensions", { model: "m", input: "a", dimensions: 0 }, "dimensions"],
    ["another encoding", { model: "m", input: "a", encoding_format: "int8" }, "encoding_format"],
    ["a user of another type", { model: "m", input: "a", user: 1 }, "user"],
  ])("embeddings: %s", (_, body, param) => {
    expect(failureOf(() => embeddings.client.read(body, {}))).toMatchObject({ status: 400, param });
    expect(failureOf(() => embeddings.client.read(body as never, {}))).toMatchObject({ status: 400, param });
  });

  test("the model of the path must equal that of the body", () => {
    expect(failureOf(() => embeddings.client.read({ model: "a", input: "x" }, { model: "b" })).param).toBe("model");
    expect(embeddings.client.read({ input: "x" }, { model: "b" }).request.model).toBe("b");
  });

  test.each<[string, object, string]>([
    ["no requests", {}, "requests"],
    ["an empty list", { requests: [] }, "requests"],
    ["no content", { requests: [{}] }, "requests[0].content"],
    ["no text", { requests: [{ content: { parts: [] } }] }, "requests[0].content.parts"],
    ["no task", { requests: [{ content: { parts: [{ text: "a" }] }, taskType: "X" }] }, "requests[0].taskType"],
    ["two models", { requests: [{ model: "models/other", content: { parts: [{ text: "a" }] } }] }, "requests[0].model"],
    [
      "two sizes",
      {
        requests: [
          { content: { parts: [{ text: "a" }] } },
          { content: { parts: [{ text: "a" }] }, outputDimensionality: 2 },
        ],
      },
      "requests[1].outputDimensionality",
    ],
  ])("content: %s", (_, body, param) => {
    const failure = failureOf(() => contentEmbeddings.client.read({ ...body }, { model: "mine" }));
    expect(failure).toMatchObject({ status: 400, param });
  });
});

test.each<[string, object]>([
  ["nothing", {}],
  ["no vector", { data: [] }],
  ["texts in place of numbers", { data: [{ index: 0, embedding: ["a"] }] }],
  [
    "a duplicate index",
    {
      data: [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    },
  ],
  ["an index out of range", { data: [{ index: 9, embedding: [1] }] }],
])("%s in a vendor's answer is a failure", (_, body) => {
  expect(failureOf(() => embeddings.vendor.parse({ ...body })).code).toBe("upstream_error");
});

test("too few vectors in a vendor's answer are a failure", () => {
  const few = { vectors: [{ floats: [1] }] };
  expect(failureOf(() => embeddings.client.render(few, contextOf({ inputs: texts("a", "b") })))).toBeInstanceOf(
    Failure,
  );
});

describe("parameters for admission", () => {
  test("are bytes of text, and tokens for token input, without output", () => {
    expect(measureInput(embeddings.client.read({ model: "m", input: ["aé", "b"] }, {}).request)).toEqual({
      textBytes: 4 + 2 * 4,
      mediaTokens: 0,
      maxOutputTokens: 0,
    });
    expect(measureInput(embeddings.client.read({ model: "m", input: [[1, 2], [3]] }, {}).request)).toMatchObject({
      textBytes: 0,
      mediaTokens: 3,
    });
  });

  test("do not count the bytes of a picture as text", () => {
    const url = `data:image/png;base64,${"A".repeat(40_000)}`;
    const input = [{ type: "image_url", image_url: { url } }];
    const { textBytes, mediaTokens } = measureInput(embeddings.client.read({ model: "m", input }, {}).request);
    expect(textBytes).toBeLessThan(200);
    expect(mediaTokens).toBeGreaterThan(0);
  });

  test("are the same for content requests", () => {
    const single = { content: { parts: [{ text: "abc" }] }, title: "T" };
    expect(measureInput(embedContent.client.read(single, { model: "m" }).request).textBytes).toBe(4 + 2 * 4);
    const batch = { requests: [single, { content: { parts: [{ text: "d" }] } }] };
    expect(measureInput(contentEmbeddings.client.read(batch, { model: "m" }).request).textBytes).toBe(5 + 3 * 4);
    expect(failureOf(() => embedContent.client.read({}, { model: "m" })).param).toBe("content");
    expect(embedContent.client.read({ ...single, autoTruncate: true }, { model: "m" }).dropped).toEqual([
      "autoTruncate",
    ]);
    expect(contentEmbeddings.client.inspectedMembers).toEqual(
      expect.arrayContaining(["content", "requests", "outputDimensionality"]),
    );
  });

  test("members must appear only once", () => {
    expect(embeddings.client.inspectedMembers).toEqual(
      expect.arrayContaining(["model", "input", "dimensions", "encoding_format"]),
    );
  });
});
