import { describe, expect, test } from "vitest";
import { wires } from "../src/text/index.ts";
import type { TextRequest } from "../src/text/hub/request.ts";
import { failureOf } from "./arbitraries.ts";
import { contextFor, oneAnswer, plain, text, written } from "./harness.ts";

const chat = wires["ollama-chat"].client;
const generate = wires["ollama-generate"].client;
const hi = [{ role: "user", content: "Hi" }];
const read = (more: object) => chat.read({ model: "m", messages: hi, ...more }, {});

describe("a chat request is parsed", () => {
  const schema = { type: "object", properties: { city: { type: "string" } } };
  test.each<[string, object, Partial<TextRequest>]>([
    ["streamed by default", {}, { stream: true }],
    [
      "with a limit and sampling settings",
      { options: { num_predict: 20, temperature: 0.5, seed: 7, top_k: 3, stop: "|" } },
      { maxTokens: 20, temperature: 0.5, seed: 7, topK: 3, stop: ["|"] },
    ],
    ["without a limit if the limit is negative", { options: { num_predict: -1 } }, { stream: true }],
    ["with a schema", { format: schema }, { format: { kind: "schema", schema } }],
    ["with JSON output", { format: "json" }, { format: { kind: "json" } }],
    ["with thoughts", { think: true }, { reasoning: { budgetTokens: -1, show: "full" } }],
    ["with high reasoning effort", { think: "high" }, { reasoning: { effort: "high", show: "full" } }],
    ["without thoughts", { think: false }, { reasoning: { effort: "none" } }],
    [
      "with tools",
      { tools: [{ type: "function", function: { name: "f" } }] },
      { tools: [{ kind: "function", name: "f" }] },
    ],
  ])("%s", (_, more, fields) => {
    expect(read(more)).toMatchObject({ request: fields, dropped: [] });
  });

  test("messages with images", () => {
    const { request } = read({ messages: [{ role: "user", content: "Look", images: ["iVBORw0KGgo="] }] });
    const source = { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" };
    expect(request.turns).toEqual([{ role: "user", parts: [text("Look"), { kind: "image", source }] }]);
  });

  test.each([{ tool_call_id: "c" }, { tool_name: "f" }, {}])(
    "with the result of a call that is named by %j",
    (named) => {
      const call = { id: "c", function: { name: "f", arguments: { a: 1 } } };
      const assistantMessage = { role: "assistant", content: "", tool_calls: [call] };
      const { request } = read({ messages: [...hi, assistantMessage, { role: "tool", content: "rain", ...named }] });
      expect(request.turns.slice(1)).toMatchObject([
        { role: "assistant", parts: [{ kind: "tool-call", id: "c", name: "f", arguments: '{"a":1}' }] },
        { role: "user", parts: [{ kind: "tool-result", callId: "c", name: "f" }] },
      ]);
    },
  );

  test("options that no other wire has are reported as dropped", () => {
    expect(read({ keep_alive: "5m", options: { num_ctx: 4_096 } }).dropped).toEqual(["keep_alive", "options.num_ctx"]);
  });

  test.each([
    [{ messages: [{ role: "guest", content: "Hi" }] }, "messages[0].role"],
    [{ format: "xml" }, "format"],
    [{ think: "hard" }, "think"],
  ])("the option %j is not reported as dropped", (more, param) => {
    expect(failureOf(() => read(more))).toMatchObject({ status: 400, param });
  });
});

test("a prompt becomes a user message, and a suffix is refused", () => {
  const { request } = generate.read({ model: "m", prompt: "Hi", system: "Be brief." }, {});
  expect(request).toMatchObject({ instructions: [text("Be brief.")], turns: [{ role: "user", parts: [text("Hi")] }] });
  expect(failureOf(() => generate.read({ model: "m", prompt: "Hi", suffix: "end" }, {})).param).toBe("suffix");
});

describe("an answer", () => {
  const call = { kind: "tool-call", id: "c", name: "f", arguments: '{"a":1}' } as const;
  const answer = {
    ...oneAnswer([{ kind: "reasoning", text: "Hm." }, text("Yes."), call], "length"),
    usage: { inputTokens: 400, cachedInputTokens: 600, outputTokens: 80 },
  };
  const context = { ...contextFor(), elapsedMs: () => 5 };
  const calls = [{ id: "c", function: { index: 0, name: "f", arguments: { a: 1 } } }];
  const counts = { done: true, done_reason: "length", prompt_eval_count: 1_000, eval_count: 80, load_duration: 0 };

  test("if complete, has its counts and durations in nanoseconds", () => {
    expect(plain(chat.render(answer, context))).toMatchObject({
      ...counts,
      model: "mine",
      total_duration: 5_000_000,
      message: { role: "assistant", content: "Yes.", thinking: "Hm.", tool_calls: calls },
    });
    expect(plain(generate.render(answer, context))).toMatchObject({ ...counts, response: "Yes.", thinking: "Hm." });
  });

  test("if streamed, has a line for each piece, and the counts in the last one", () => {
    const lines = written(chat.stream(context), answer)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { message: { thinking: "Hm." }, done: false },
      { message: { content: "Yes." }, done: false },
      { message: { tool_calls: calls }, done: false },
      counts,
    ]);
  });

  test("if streamed, has the duration until its first piece in its last line", () => {
    let elapsed = 0;
    const lines = written(chat.stream({ ...context, elapsedMs: () => (elapsed += 5) }), answer);
    expect(JSON.parse(lines.trim().split("\n").at(-1) ?? "")).toMatchObject({
      prompt_eval_duration: 5_000_000,
      eval_duration: 5_000_000,
      total_duration: 10_000_000,
    });
  });
});
