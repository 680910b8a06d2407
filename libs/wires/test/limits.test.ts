import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maxImagesOf, minImagesOf, readImageBody } from "@modelgate/wires/images";
import { refuseAmbiguous, withoutMembers } from "@modelgate/formats/json";
import { surplusOutputLimits, wires } from "@modelgate/wires/text";
import { wires as videoWires } from "@modelgate/wires/video";

const messages = [{ role: "user", content: "Hi" }];
const paramReaders = {
  chat: (more: object) => wires.chat.client.readParams({ model: "m", messages, ...more }),
  completions: (more: object) => wires.completions.client.readParams({ model: "m", prompt: "x", ...more }),
  responses: (more: object) => wires.responses.client.readParams({ model: "m", input: "x", ...more }),
  messages: (more: object) => wires.messages.client.readParams({ model: "m", max_tokens: 5, messages, ...more }),
  content: (more: object) =>
    wires.content.client.readParams({ contents: [{ parts: [] }], ...more }, { model: "m", stream: false }),
};

describe("money is held for the largest output limit of a body", () => {
  test.each<[keyof typeof paramReaders, object, number | undefined]>([
    ["chat", { max_tokens: 5, max_completion_tokens: 7 }, 7],
    ["chat", { max_tokens: 7, max_completion_tokens: 5 }, 7],
    ["chat", { max_tokens: 5, max_output_tokens: 9 }, 9],
    ["chat", { max_tokens: 5, max_completion_tokens: null }, 5],
    ["chat", { max_output_tokens: 9 }, undefined],
    ["chat", { max_tokens: 5, n: 2, best_of: 3 }, 15],
    ["chat", { max_tokens: 5, thinking: { type: "enabled", budget_tokens: 100 } }, 105],
    ["completions", { max_tokens: 5, max_completion_tokens: 8, n: 2, best_of: 4 }, 32],
    ["responses", { max_output_tokens: 20, max_tokens: 30 }, 30],
    ["messages", { max_tokens_to_sample: 30 }, 30],
    ["content", { generation_config: { max_output_tokens: 6, candidate_count: 2 } }, 12],
  ])("%s %j", (wire, more, expected) => {
    expect(paramReaders[wire](more).maxOutputTokens).toBe(expected);
  });
});

test("the vendor gets the output limit in the field that its model reads first", () => {
  expect(surplusOutputLimits(["max_tokens", "max_completion_tokens"], ["max_tokens"])).toEqual([
    "max_completion_tokens",
  ]);
  expect(surplusOutputLimits(["max_tokens"], ["max_completion_tokens", "max_tokens"])).toEqual([]);
  expect(surplusOutputLimits(["max_output_tokens"], ["max_tokens"])).toEqual([]);
});

describe("members are removed from a body, and every other byte is unchanged", () => {
  test.each([
    ['{"a":1, "b":2 ,"c":3}', ["b"], '{"a":1, "c":3}'],
    ['{ "a":1, "b":2 ,"c":3 }', ["a"], '{ "b":2 ,"c":3 }'],
    ['{"a":1, "b":2 ,"c":3\n}', ["c"], '{"a":1, "b":2\n}'],
    ['{"a":1,"b":2,"c":3,"b":4}', ["b", "c"], '{"a":1}'],
    ['{ "a" : 1 }', ["a"], "{  }"],
    ['{"a":1}', ["b"], '{"a":1}'],
    ["{}", ["a"], "{}"],
  ])("%s without %j", (body, names, remaining) => {
    expect(withoutMembers(Buffer.from(body), names).toString()).toBe(remaining);
  });

  test("members are removed from any body", () => {
    const names = fc.constantFrom("a", "b", "c", "max_tokens", "é");
    fc.assert(
      fc.property(
        fc.dictionary(names, fc.jsonValue()),
        fc.array(names.map(String)),
        fc.nat({ max: 2 }),
        (body, out, indent) => {
          const bytes = Buffer.from(JSON.stringify(body, null, indent));
          const remainingBody = Object.fromEntries(Object.entries(body).filter(([name]) => !out.includes(name)));
          expect(JSON.parse(withoutMembers(bytes, out).toString())).toEqual(JSON.parse(JSON.stringify(remainingBody)));
        },
      ),
    );
  });
});

describe("members of generated content that appear twice are refused", () => {
  test.each([
    ['{"generationConfig":{},"generation_config":{}}', "generation_config"],
    ['{"generationConfig":{"maxOutputTokens":1,"maxOutputTokens":2}}', "generationConfig.maxOutputTokens"],
    ['{"generationConfig":{"maxOutputTokens":1,"max_output_tokens":2}}', "generationConfig.max_output_tokens"],
    ['{"generation_config":{"candidate_count":1,"candidateCount":2}}', "generation_config.candidateCount"],
    ['{"generationConfig":{"MaxOutputTokens":2}}', "generationConfig.maxOutputTokens"],
    [
      '{"generationConfig":{"thinkingConfig":{"thinkingBudget":0,"thinking_budget":9}}}',
      "generationConfig.thinkingConfig.thinking_budget",
    ],
  ])("%s", (body, param) => {
    expect(() => refuseAmbiguous(Buffer.from(body), wires.content.client.inspectedMembers)).toThrow(
      expect.objectContaining({ param }),
    );
  });

  test.each([
    '{"contents":[],"generationConfig":{"maxOutputTokens":1,"topK":1,"thinkingConfig":{"thinkingBudget":1}}}',
    '{"contents":[],"generation_config":{"max_output_tokens":1,"candidate_count":2}}',
    '{"contents":[],"generationConfig":null}',
  ])("other members may appear twice: %s", (body) => {
    expect(() => refuseAmbiguous(Buffer.from(body), wires.content.client.inspectedMembers)).not.toThrow();
  });
});

test.each<[keyof typeof paramReaders, object, boolean]>([
  ["chat", { tools: [{ type: "function", function: { name: "f" } }] }, false],
  ["chat", { web_search_options: {} }, true],
  [
    "responses",
    {
      tools: [
        { type: "function", name: "f" },
        { type: "custom", name: "c" },
      ],
    },
    false,
  ],
  ["responses", { tools: [{ type: "web_search" }] }, true],
  ["responses", { previous_response_id: "resp_1" }, true],
  ["messages", { tools: [{ name: "f", input_schema: {} }] }, false],
  ["messages", { tools: [{ type: "web_search_20250305", name: "web_search" }] }, true],
  ["messages", { mcp_servers: [{}] }, true],
  ["content", { tools: [{ functionDeclarations: [] }, { function_declarations: [] }] }, false],
  ["content", { tools: [{ googleSearch: {} }] }, true],
  ["content", { cachedContent: "cachedContents/1" }, true],
])("members with which the vendor reads hidden input: %s %j", (wire, more, readsHidden) => {
  expect(paramReaders[wire](more).readsHiddenInput).toBe(readsHidden);
});

test.each([
  ["videos", { model: "m", prompt: "x", seconds: "5", frames: 999 }, "frames"],
  ["video-generations", { model: "m", prompt: "x", duration: 5, num_frames: 999 }, "num_frames"],
  ["video-generations", { model: "m", prompt: "x", duration: 5, n_seconds: 60 }, "n_seconds"],
  ["kling-video", { model: "m", prompt: "x", duration: "5", video_length: 60 }, "video_length"],
  ["jimeng-video", { req_key: "m", prompt: "x", frames: 121, duration: 60 }, "duration"],
] as const)("a second video length is refused: %s %j", (wire, body, param) => {
  expect(() => videoWires[wire].client.read(body)).toThrow(expect.objectContaining({ code: "invalid_value", param }));
});

test.each<[object, number, number?]>([
  [{}, 1],
  [{ n: 3 }, 3],
  [{ n: 2, batch_size: 4 }, 4],
  [{ num_images: "6" }, 6],
  [{ sequential_image_generation_options: { max_images: 15 } }, 15, 1],
  [{ extra_body: { parameters: { n: 8 } } }, 8],
  [{ seed: 900, user: "12" }, 1],
  [{ sequential_image_generation: "disabled" }, 1],
  [{ sequential_image_generation: "auto" }, 15, 1],
  [{ sequential_image_generation: "auto", sequential_image_generation_options: { max_images: 4 } }, 4, 1],
])("maximum and certain number of images of a request: %j", (more, most, least = most) => {
  const { request } = readImageBody({ model: "m", prompt: "a fox", ...more });
  expect([maxImagesOf(request), minImagesOf(request)]).toEqual([most, least]);
});
