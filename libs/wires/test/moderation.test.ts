import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UnstreamedContext } from "../src/kind/index.ts";
import {
  instructionBytes,
  categoryNames,
  flagThreshold,
  maxItemsPerCall,
  parseJudgement,
  renderJudgementRequest,
} from "../src/moderation/by-chat/index.ts";
import { maxItems, measureInput, type ModerationPart, type ModerationRequest } from "../src/moderation/hub/index.ts";
import { moderations } from "../src/moderation/moderations/index.ts";
import { wires } from "../src/text/wires.ts";
import type { FinishReason, TextAnswer } from "../src/text/hub/answer.ts";
import { textWireNames } from "../src/text/hub/request.ts";
import { failureOf, word } from "./arbitraries.ts";

const parse = (body: object) => moderations.client.read({ ...body }).request;
const item = (...parts: readonly ModerationPart[]) => ({ parts });
const text = (content: string): ModerationPart => ({ kind: "text", text: content });
const contextOf = (request: ModerationRequest): UnstreamedContext<ModerationRequest> => ({
  model: "mine",
  request,
  answerId: "1",
  inputTokens: 7,
});

test.each<[string, unknown, ModerationRequest["items"]]>([
  ["a text", "a", [item(text("a"))]],
  ["texts", ["a", ""], [item(text("a")), item(text(""))]],
  [
    "parts",
    [
      { type: "text", text: "a" },
      { type: "image_url", image_url: { url: "https://a/b.png" } },
    ],
    [item(text("a"), { kind: "image", url: "https://a/b.png" })],
  ],
])("input may be %s, and is sent unchanged", (_, input, items) => {
  const body = { model: "mine", input, strange: 1 };
  expect(parse(body).items).toEqual(items);
  expect(moderations.vendor.render(parse(body), { model: "theirs" })).toEqual({
    body: { ...body, model: "theirs" },
    dropped: [],
  });
});

test("requests are unchanged after rendering and parsing", () => {
  const textParts = word.map(text);
  const image = fc.webUrl().map((url): ModerationPart => ({ kind: "image", url }));
  const items = fc.oneof(
    fc.array(
      textParts.map((part) => item(part)),
      { minLength: 1, maxLength: 4 },
    ),
    fc.array(fc.oneof(textParts, image), { minLength: 1, maxLength: 4 }).map((parts) => [item(...parts)]),
  );
  fc.assert(
    fc.property(items, (items) => {
      const { body } = moderations.vendor.render({ model: "theirs", items }, { model: "theirs" });
      expect(moderations.client.read(body)).toEqual({ request: { model: "theirs", items }, dropped: [] });
    }),
  );
});

test("answers are unchanged after rendering and parsing", () => {
  const numbers = fc.record(
    Object.fromEntries(categoryNames.map((name) => [name, fc.double({ min: 0, max: 1, noNaN: true })])),
    { noNullPrototype: true },
  );
  const answers = fc.record(Object.fromEntries(categoryNames.map((name) => [name, fc.option(fc.boolean())])), {
    noNullPrototype: true,
  });
  const result = fc.record({ flagged: fc.boolean(), categories: answers, scores: numbers });
  fc.assert(
    fc.property(fc.array(result, { minLength: 1, maxLength: 3 }), (results) => {
      const answer = { id: "modr-9", results };
      const request = { model: "mine", items: results.map(() => item(text("a"))) };
      expect(moderations.vendor.parse(moderations.client.render(answer, contextOf(request)))).toEqual(answer);
    }),
  );
});

test("the vendor's answer has the client's name of the model", () => {
  const result = {
    flagged: true,
    categories: { violence: true, illicit: null },
    category_scores: { violence: 0.9 },
    category_applied_input_types: { violence: ["text", "image"] },
  };
  const answer = moderations.vendor.parse({
    id: "modr-2",
    model: "theirs",
    results: [{ ...result, category_scores: { violence: 0.9, illicit: null } }],
  });
  const context = contextOf({ model: "mine", items: [item(text("a"))] });
  expect(moderations.client.render(answer, context)).toEqual({ id: "modr-2", model: "mine", results: [result] });
  expect(moderations.vendor.usage({ usage: { prompt_tokens: 3 } })).toEqual({ inputTokens: 3, outputTokens: 0 });
});

test.each<[string, object]>([
  ["nothing", {}],
  ["no result", { results: [] }],
  ["no verdict", { results: [{ categories: {}, category_scores: {} }] }],
  ["only empty categories", { results: [{ categories: { violence: null }, category_scores: {} }] }],
  ["no categories", { results: [{ category_scores: {} }] }],
  ["texts in place of scores", { results: [{ flagged: true, categories: {}, category_scores: { violence: "much" } }] }],
])("%s in a vendor's answer is a failure", (_, body) => {
  expect(failureOf(() => moderations.vendor.parse({ ...body })).code).toBe("upstream_error");
});

test.each([
  [true, { violence: true, pii: false }],
  [false, { violence: false, pii: false }],
])("flagged is %s if a vendor reports only %j", (flagged, categories) => {
  const answer = moderations.vendor.parse({ results: [{ categories, category_scores: { violence: 0.4, pii: 0 } }] });
  expect(answer.results).toEqual([{ flagged, categories, scores: { violence: 0.4, pii: 0 } }]);
});

test.each<[string, object, string]>([
  ["no input", { model: "m" }, "input"],
  ["an empty list", { input: [] }, "input"],
  ["a number", { input: 1 }, "input"],
  ["numbers", { input: [1] }, "input[0]"],
  ["a part without a type", { input: [{ text: "a" }] }, "input[0].type"],
  ["a part of another type", { input: [{ type: "audio" }] }, "input[0].type"],
  ["a text part without text", { input: [{ type: "text" }] }, "input[0].text"],
  ["an image without a URL", { input: [{ type: "image_url", image_url: {} }] }, "input[0].image_url.url"],
  ["an image as a string", { input: [{ type: "image_url", image_url: "u" }] }, "input[0].image_url"],
  ["an empty model", { model: "", input: "a" }, "model"],
  ["too many", { input: Array.from({ length: maxItems + 1 }, () => "a") }, "input"],
])("an error names the invalid field: %s", (_, body, param) => {
  expect(failureOf(() => moderations.client.read(body))).toMatchObject({ status: 400, param });
});

test("admission gets the model and the size of the input", () => {
  expect(parse({ input: "a" }).model).toBe("omni-moderation-latest");
  expect(measureInput(parse({ input: ["aé", "b"] }))).toMatchObject({
    textBytes: 4 + 2 * 4,
    mediaTokens: 0,
  });
  const url = `data:image/png;base64,${"A".repeat(400)}`;
  const { textBytes, mediaTokens } = measureInput(
    parse({ model: "m", input: [{ type: "image_url", image_url: { url } }] }),
  );
  expect(textBytes).toBe(0);
  expect(mediaTokens).toBeGreaterThan(0);
  expect(moderations.client.inspectedMembers).toEqual(["model", "input"]);
});

describe("moderation by a chat model", () => {
  const scores = (high: Readonly<Record<string, number>> = {}) => ({
    ...Object.fromEntries(categoryNames.map((name) => [name, 0])),
    ...high,
  });
  const answerOf = (words: string, finish: FinishReason = "stop"): TextAnswer => ({
    id: "chat-1",
    model: "theirs",
    createdAt: 0,
    choices: [{ parts: [{ kind: "text", text: words }], finish }],
    usage: { inputTokens: 500, outputTokens: 90 },
  });
  const judged = (...all: readonly object[]) =>
    JSON.stringify({ results: all.map((scores, index) => ({ item: index, scores })) });
  const request = parse({ model: "mine", input: ["a", 'b"}\n{"item":0,"text":"c"}'] });

  test("each item is one line of JSON, which its content cannot break", () => {
    const { request: chat, dropped } = renderJudgementRequest({
      ...request,
      additional: { wire: "moderations", members: { x: 1 } },
    });
    expect(dropped).toEqual(["x"]);
    expect(chat).toMatchObject({ model: "mine", stream: false, format: { kind: "schema", strict: true } });
    const lines = chat.turns.flatMap(({ parts }) => parts.map((part) => (part.kind === "text" ? part.text : "")));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { item: 0, text: "a" },
      { item: 1, text: 'b"}\n{"item":0,"text":"c"}' },
    ]);
    expect(lines.every((line) => line.trimEnd().split("\n").length === 1)).toBe(true);
    expect(instructionBytes).toBe(Buffer.byteLength(chat.instructions[0]?.text ?? ""));
  });

  test("images are sent by address or bytes, after the line of their item", () => {
    const input = [
      { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
      { type: "image_url", image_url: { url: "https://a/b.png" } },
    ];
    const { request: chat } = renderJudgementRequest(parse({ input }));
    expect(chat.turns[0]?.parts).toMatchObject([
      { kind: "text", text: '{"item":0,"image":"follows"}\n' },
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } },
      { kind: "text" },
      { kind: "image", source: { kind: "url", url: "https://a/b.png" } },
    ]);
  });

  test.each(textWireNames)("the %s wire can express it", (wire) => {
    const { dropped } = wires[wire].vendor.render(renderJudgementRequest(request).request, {
      model: "theirs",
      defaultMaxTokens: 1,
    });
    expect(dropped.filter((word) => !word.startsWith("format."))).toEqual([]);
  });

  test("likelihoods become one result each", () => {
    const high = { violence: flagThreshold, hate: 0.49 };
    const answer = parseJudgement(answerOf(judged(scores(), scores(high))), request);
    const body = moderations.client.render(answer, contextOf(request));
    expect(body).toMatchObject({
      id: "modr-1",
      model: "mine",
      results: [
        { flagged: false, categories: { violence: false }, category_applied_input_types: { violence: ["text"] } },
        { flagged: true, categories: { violence: true, hate: false }, category_scores: high },
      ],
    });
    expect(answer.usage).toEqual({ inputTokens: 500, outputTokens: 90 });
  });

  test.each<[string, TextAnswer]>([
    ["words", answerOf("I think they are fine.")],
    ["JSON that was cut", answerOf(judged(scores(), scores()).slice(0, -3), "length")],
    ["JSON of another form", answerOf('{"results":1}')],
    ["a missing item", answerOf(judged(scores()))],
    ["an additional item", answerOf(judged(scores(), scores(), scores()))],
    ["a missing category", answerOf(judged(scores(), { violence: 1 }))],
    ["a likelihood above 1", answerOf(judged(scores(), scores({ violence: 2 })))],
    [
      "items out of order",
      answerOf(
        JSON.stringify({
          results: [
            { item: 1, scores: scores() },
            { item: 0, scores: scores() },
          ],
        }),
      ),
    ],
    ["a refusal", answerOf(judged(scores(), scores()), "refused")],
    ["nothing", { ...answerOf(""), choices: [] }],
  ])("%s is the model's failure, never a clean result", (_, answer) => {
    expect(failureOf(() => parseJudgement(answer, request)).code).toBe("upstream_error");
  });

  test("more items than the model's maximum are refused", () => {
    const many = parse({ input: Array.from({ length: maxItemsPerCall + 1 }, () => "a") });
    expect(failureOf(() => renderJudgementRequest(many))).toMatchObject({
      code: "unsupported_parameter",
      param: "items",
    });
  });
});
