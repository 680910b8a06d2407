import { runToEnd } from "@modelgate/formats/json";
import { describe, expect, test } from "vitest";
import { readParams } from "../../../src/text/chat/client-request.ts";
import { chatPass } from "../../../src/text/chat/pass.ts";
import { chatUsage } from "../../../src/text/chat/usage.ts";

const messages = [{ role: "user", content: "Hi" }];
const frame = (data: unknown): Buffer =>
  Buffer.from(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);

test("the request is parsed: defaults, nulls, the newer output limit, several choices", () => {
  expect(readParams({ model: "m", messages })).toEqual({
    model: "m",
    stream: false,
    includeUsage: false,
    maxOutputTokens: undefined,
    outputLimitNames: [],
    hasPlainFiles: false,
    readsHiddenInput: false,
    choices: 1,
    media: { characters: 0, tokens: 0 },
  });
  expect(
    readParams({
      model: "m",
      messages,
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 5,
      max_completion_tokens: 7,
      n: 3,
    }),
  ).toMatchObject({
    stream: true,
    includeUsage: true,
    maxOutputTokens: 21,
    choices: 3,
  });
});

test("media are distinguished from text", () => {
  const content = [
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    { type: "image_url", image_url: { url: "https://pictures.example/1.png" } },
    { type: "file", file: { file_data: "A".repeat(4_000) } },
    { type: "file", file: { file_data: "https://files.example/1.pdf" } },
    { type: "input_audio", input_audio: { data: "A".repeat(1_000), format: "mp3" } },
  ];
  expect(readParams({ model: "m", messages: [{ role: "user", content }] }).media).toEqual({
    characters: 26 + 4_000 + 1_000,
    tokens: 2 * 2_900 + 750 + 60_000 + 10,
  });
});

describe("usage in separate units", () => {
  test.each([
    [
      { prompt_tokens: 10, completion_tokens: 5 },
      { inputTokens: 10, outputTokens: 5 },
    ],
    [
      {
        prompt_tokens: 1_000,
        completion_tokens: 80,
        prompt_tokens_details: { cached_tokens: 600 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { inputTokens: 400, cachedInputTokens: 600, outputTokens: 80, reasoningTokens: 30 },
    ],
    [
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        prompt_tokens_details: { audio_tokens: 40 },
        completion_tokens_details: { audio_tokens: 20 },
      },
      { inputTokens: 60, inputAudioTokens: 40, outputTokens: 30, outputAudioTokens: 20 },
    ],
    [
      { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      { inputTokens: 36, cachedInputTokens: 64, outputTokens: 1 },
    ],
    [
      { prompt_tokens: 100, completion_tokens: 1, cached_tokens: 90 },
      { inputTokens: 10, cachedInputTokens: 90, outputTokens: 1 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 99 } },
      { inputTokens: 0, cachedInputTokens: 10, outputTokens: 1 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 8, audio_tokens: 9 } },
      { inputTokens: 0, cachedInputTokens: 8, inputAudioTokens: 2, outputTokens: 1 },
    ],
    [
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 45,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { inputTokens: 10, outputTokens: 35, reasoningTokens: 30 },
    ],
    [
      {
        prompt_tokens: 10,
        completion_tokens: 35,
        total_tokens: 45,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { inputTokens: 10, outputTokens: 35, reasoningTokens: 30 },
    ],
    [
      { prompt_tokens: -5, completion_tokens: 3 },
      { inputTokens: 0, outputTokens: 3 },
    ],
    [null, undefined],
    [{ total: 3 }, undefined],
    ["12", undefined],
  ])("%j", (usage, units) => {
    expect(chatUsage(usage)).toEqual(units);
  });
});

describe("passing through", () => {
  const body = Buffer.from(
    '{"model":"mine", "messages":[],"stream":true,"stream_options":{"include_obfuscation":false}}',
  );

  test("the vendor's request differs only where it must", () => {
    expect(runToEnd(chatPass.upstreamBody(body, { reportUsage: false }))).toBe(body);
    expect(runToEnd(chatPass.upstreamBody(body, { model: "theirs", reportUsage: true })).toString()).toBe(
      '{"model":"theirs", "messages":[],"stream":true,"stream_options":{"include_obfuscation":false,"include_usage":true}}',
    );
  });

  test.each([
    ["a delta", { choices: [{ delta: { content: "x" } }] }, { usageOnly: false, done: false, failure: undefined }],
    ["null usage", { choices: [{ delta: {} }], usage: null }, { usageOnly: false, done: false, failure: undefined }],
    [
      "the usage frame",
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } },
      { usageOnly: true, done: false, failure: undefined, usage: { inputTokens: 1, outputTokens: 2 } },
    ],
    [
      "usage next to a choice",
      { choices: [{ delta: {} }], usage: { prompt_tokens: 1, completion_tokens: 2 } },
      { usageOnly: false, done: false, failure: undefined, usage: { inputTokens: 1, outputTokens: 2 } },
    ],
    [
      "usage inside a choice",
      { choices: [{ delta: {}, usage: { prompt_tokens: 1, completion_tokens: 2 } }] },
      { usageOnly: false, done: false, failure: undefined, usage: { inputTokens: 1, outputTokens: 2 } },
    ],
    [
      "usage without choices, as Cloudflare ends streams",
      { response: "", usage: { prompt_tokens: 1, completion_tokens: 2 } },
      { usageOnly: true, done: false, failure: undefined, usage: { inputTokens: 1, outputTokens: 2 } },
    ],
    [
      "usage since the previous chunk, as Cloudflare counts",
      {
        object: "chat.completion.chunk",
        choices: [{ delta: { content: "x" } }],
        usage: { prompt_tokens: 0, completion_tokens: 1 },
      },
      { usageOnly: false, done: false, failure: undefined, usage: undefined },
    ],
    ["the end", "[DONE]", { usageOnly: false, done: true, failure: undefined }],
    [
      "an error",
      { error: { message: "no" } },
      { usageOnly: false, done: false, failure: { message: "no" }, usage: undefined },
    ],
    [
      "a text that mentions errors and usage",
      { choices: [{ delta: { content: '"error":{} "usage":{"prompt_tokens":9}' } }] },
      { usageOnly: false, done: false, failure: undefined },
    ],
    [
      "a null error",
      { choices: [], error: null },
      { usageOnly: false, done: false, failure: undefined, usage: undefined },
    ],
  ])("%s is recognised", (_, data, kind) => {
    expect(chatPass.inspect(frame(data))).toMatchObject(kind);
  });

  test("usage of a complete answer is read from its own member or its last choice", () => {
    const answer = (content: string) => ({
      choices: [{ message: { content } }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    });
    for (const content of ["hi", '"usage":{"prompt_tokens":9}', "}}}}"])
      expect(chatPass.usage(answer(content))).toEqual({ inputTokens: 3, outputTokens: 4 });
    const inChoice = { choices: [{ message: {}, usage: { prompt_tokens: 5, completion_tokens: 7 } }], usage: null };
    expect(chatPass.usage(inChoice)).toEqual({ inputTokens: 5, outputTokens: 7 });
    expect(chatPass.usage({ choices: [{}], usage: null })).toBeUndefined();
  });

  test("frames and answers have the client's name of the model", () => {
    expect(chatPass.renameFrame(frame({ model: "theirs", choices: [] }), "mine").toString()).toBe(
      'data: {"model":"mine","choices":[]}\n\n',
    );
    expect(chatPass.renameFrame(frame("[DONE]"), "mine").toString()).toBe("data: [DONE]\n\n");
    expect(chatPass.renameAnswer(Buffer.from('{"model":"theirs"}'), "mine").toString()).toBe('{"model":"mine"}');
  });

  test("the model's text is extracted from many frames", () => {
    const raw = [
      { content: 'a "b"' },
      { reasoning_content: "c\n" },
      { tool_calls: [{ index: 0, id: "call_1", function: { name: "f", arguments: '{"x":1}' } }] },
    ]
      .map((delta) => chatPass.extractRawText(frame({ model: "m", choices: [{ index: 0, delta }] })))
      .join("\n");
    expect(chatPass.extractText(raw)).toBe('a "b"c\nf{"x":1}');
  });

  test("megabytes of text are extracted too, with all escapes", () => {
    const content = 'line "quoted" \\ \n'.repeat(600_000);
    expect(chatPass.extractText(JSON.stringify({ choices: [{ message: { content } }] }))).toBe(content);
    expect(chatPass.extractText('"content": "cut off')).toBe("cut off");
    expect(chatPass.extractText('"content": "cut\\noff')).toBe("cut\\noff");
  });
});
