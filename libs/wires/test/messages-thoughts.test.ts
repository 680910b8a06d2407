import { describe, expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import type { TextAnswer } from "../src/text/hub/answer.ts";
import type { Part } from "../src/text/hub/part.ts";
import type { TextRequest } from "../src/text/hub/request.ts";
import { adaptiveModel } from "../src/text/hub/claude.ts";
import { messagesWire } from "../src/text/messages/index.ts";
import { assembledMessage, calling, contextFor, renders, result, text, tools, user, written } from "./harness.ts";

const target = { model: "theirs", defaultMaxTokens: 1000 };
const adaptive = { model: "claude-opus-4-7", defaultMaxTokens: 1000 };
const parse = (body: JsonRecord) => messagesWire.client.read({ model: "m", max_tokens: 9, messages: [], ...body });
const render = renders(messagesWire, target);

describe("thinking", () => {
  const rendered = (fields: Partial<TextRequest>, to = target) => {
    const { body, dropped } = render({ ...user(text("hi")), ...fields }, to);
    return { ...body, dropped };
  };
  const budget = (tokens: number) => ({ type: "enabled", budget_tokens: tokens });

  test.each<readonly [string, Partial<TextRequest>, JsonRecord]>([
    [
      "a limit without space for a budget stays, and the dropped field is named",
      { maxTokens: 300, reasoning: { effort: "low" } },
      { max_tokens: 300, thinking: { type: "disabled" }, dropped: ["reasoning"] },
    ],
    [
      "a client's budget above its limit is lowered, and named",
      { maxTokens: 3000, reasoning: { budgetTokens: 5000 } },
      { max_tokens: 3000, thinking: budget(2400), dropped: ["reasoning"] },
    ],
    [
      "a limit above the budget stays",
      { maxTokens: 4000, reasoning: { effort: "low" } },
      { max_tokens: 4000, thinking: budget(2048) },
    ],
    [
      "an effort's budget leaves tokens for text within the limit",
      { maxTokens: 2048, reasoning: { effort: "low" } },
      { max_tokens: 2048, thinking: budget(1638), dropped: [] },
    ],
    [
      "without a limit the model's limit",
      { reasoning: { effort: "medium" } },
      { max_tokens: 9192, thinking: budget(8192) },
    ],
    [
      "the highest effort uses most of the limit",
      { maxTokens: 100_000, reasoning: { effort: "max" } },
      { max_tokens: 100_000, thinking: budget(80_000) },
    ],
    [
      "a small budget is raised to the vendor's minimum",
      { maxTokens: 9999, reasoning: { budgetTokens: 1 } },
      { thinking: budget(1024) },
    ],
    ["adaptive thinking", { maxTokens: 9999, reasoning: { budgetTokens: -1 } }, { thinking: budget(8192) }],
    [
      "a request to show thinking enables it",
      { maxTokens: 9999, reasoning: { show: "full" } },
      { thinking: budget(8192) },
    ],
    ["none", { reasoning: { effort: "none" } }, { max_tokens: 1000, thinking: { type: "disabled" } }],
    [
      "sampling settings with thinking",
      { reasoning: { effort: "low" }, temperature: 0, topP: 0.5, topK: 3 },
      { dropped: ["temperature", "topP", "topK"] },
    ],
    [
      "default sampling with thinking",
      { reasoning: { effort: "low" }, temperature: 1, topP: 0.99 },
      { dropped: [], top_p: 0.99 },
    ],
    [
      "a forced tool",
      { reasoning: { effort: "low" }, tools, toolChoice: { mode: "required" } },
      { dropped: ["reasoning"], thinking: { type: "disabled" }, tool_choice: { type: "any" } },
    ],
    [
      "an optional tool",
      { reasoning: { effort: "low" }, tools, toolChoice: { mode: "auto" } },
      { dropped: [], thinking: budget(2048) },
    ],
  ])("%s", (_, fields, expected) => {
    expect(rendered(fields)).toMatchObject(expected);
  });

  test.each<readonly [string, Partial<TextRequest>, JsonRecord]>([
    [
      "an effort",
      { reasoning: { effort: "minimal" } },
      { max_tokens: 1000, thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "low" } },
    ],
    [
      "a budget",
      { reasoning: { budgetTokens: 9000, show: "none" } },
      { thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "medium" } },
    ],
    ["sampling", { temperature: 0.2, topP: 0.9, topK: 1 }, { dropped: ["temperature", "topP", "topK"] }],
    ["default sampling settings", { temperature: 1, topP: 1 }, { dropped: [] }],
    [
      "a forced tool",
      { reasoning: { effort: "low" }, tools, toolChoice: { mode: "required" } },
      { dropped: ["reasoning"], tool_choice: { type: "any" } },
    ],
  ])("%s with the newest models", (_, fields, expected) => {
    const body = rendered(fields, adaptive);
    expect(body).toMatchObject(expected);
    for (const name of ["temperature", "top_p", "top_k"]) expect(body).not.toHaveProperty(name);
    expect(rendered({ reasoning: { effort: "none" } }, adaptive)).not.toHaveProperty("thinking");
  });

  const none = { reasoning: { effort: "none" } } as const;
  const forced = { tools, toolChoice: { mode: "required" } } as const;
  test.each<readonly [string, string, Partial<TextRequest>, JsonRecord]>([
    ["no thoughts", "claude-sonnet-5", none, { thinking: { type: "disabled" }, dropped: [] }],
    ["no thoughts", "claude-haiku-5-5", none, { thinking: { type: "disabled" }, dropped: [] }],
    ["no thoughts", "claude-fable-5", none, { output_config: { effort: "low" }, dropped: ["reasoning"] }],
    ["no thoughts", "claude-opus-5.5", none, { output_config: { effort: "low" }, dropped: ["reasoning"] }],
    ["a forced call", "claude-opus-5", forced, { tool_choice: { type: "any" }, dropped: [] }],
    ["a forced call", "claude-mythos-5", forced, { tool_choice: { type: "any" }, dropped: [] }],
    ["a forced call", "claude-mythos-5-1", forced, { tool_choice: { type: "auto" }, dropped: ["toolChoice"] }],
    ["a forced call", "claude-opus-5-5", forced, { tool_choice: { type: "auto" }, dropped: ["toolChoice"] }],
    ["a forced call", "claude-haiku-5-5", forced, { tool_choice: { type: "any" }, dropped: [] }],
    [
      "a forced call with thinking",
      "claude-fable-5",
      { ...forced, reasoning: { effort: "high" } },
      { tool_choice: { type: "any" }, output_config: { effort: "high" }, dropped: [] },
    ],
    [
      "a forced call with thinking",
      "claude-opus-5",
      { ...forced, reasoning: { effort: "high" } },
      { tool_choice: { type: "any" }, thinking: { type: "disabled" }, dropped: ["reasoning"] },
    ],
  ])("%s of %s", (_, model, fields, expected) => {
    expect(rendered(fields, { ...target, model })).toMatchObject(expected);
  });

  test("a forced call that the model refuses is only offered", () => {
    const toolChoice = { mode: "required", names: ["f"] } as const;
    expect(rendered({ tools, toolChoice }, { ...target, model: "claude-sonnet-5-5" })).toMatchObject({
      tool_choice: { type: "auto" },
      tools: [{ name: "f" }],
    });
  });

  test("some models accept either temperature or top_p", () => {
    const both = { temperature: 0.5, topP: 0.5 };
    expect(rendered(both, { ...target, model: "claude-sonnet-4-5-20250929" })).toMatchObject({
      temperature: 0.5,
      dropped: ["topP"],
    });
    expect(rendered(both, { ...target, model: "claude-3-5-haiku-20241022" })).toMatchObject({
      temperature: 0.5,
      top_p: 0.5,
    });
  });

  test.each([
    ["claude-opus-4-7", true],
    ["claude-4.7-opus", true],
    ["anthropic/claude-opus-4.8", true],
    ["claude-sonnet-5", true],
    ["claude-5.5-opus", true],
    ["us.anthropic.claude-fable-5-1-v1:0", true],
    ["claude-opus-4-6", false],
    ["claude-sonnet-4-20250514", false],
    ["claude-3-7-sonnet-20250219", false],
    ["deepseek-chat", false],
  ])("%s thinks only adaptively: %s", (model, only) => {
    expect(adaptiveModel(model) !== undefined).toBe(only);
  });

  test("reasoning continues in a tool loop whose turns begin with signed reasoning, and after the next user message", () => {
    const signed: Part = {
      kind: "reasoning",
      text: "t",
      signature: { wire: "messages", kind: "signature", value: "s" },
    };
    const loop = (first: readonly Part[], last: readonly Part[]) =>
      render({
        reasoning: { effort: "low" },
        turns: [
          { role: "user", parts: [text("hi")] },
          { role: "assistant", parts: [...first, calling("a")] },
          { role: "user", parts: [result("a")] },
          ...(last.length > 0 ? [{ role: "user" as const, parts: last }] : []),
        ],
      });
    expect(loop([signed], []).body).toMatchObject({ thinking: budget(2048) });
    expect(loop([text("well"), signed], []).dropped).toEqual(["reasoning"]);
    expect(loop([{ ...signed, signature: undefined }], []).dropped).toEqual(["turn.reasoning", "reasoning"]);
    const later = render({
      reasoning: { effort: "low" },
      turns: [
        { role: "user", parts: [text("hi")] },
        { role: "assistant", parts: [calling("a")] },
        { role: "user", parts: [result("a")] },
        { role: "assistant", parts: [text("done")] },
        { role: "user", parts: [text("and now?")] },
      ],
    });
    expect(later.dropped).toEqual([]);
  });
});

describe("a signature of another vendor", () => {
  const foreign = { wire: "content", kind: "thoughtSignature", value: "c2lnbmVk" } as const;
  const whole = (parts: readonly Part[]): TextAnswer => ({
    id: "",
    model: "",
    createdAt: 0,
    choices: [{ parts, finish: "stop" }],
  });
  const backFrom = (content: unknown) =>
    parse({ messages: [{ role: "assistant", content: JSON.parse(JSON.stringify(content)) }] }).request;

  test.each<readonly [string, Part]>([
    ["a call", { kind: "tool-call", id: "call_1", name: "f", arguments: "{}", signature: foreign }],
    ["a text", { kind: "text", text: "hi", signature: foreign }],
    ["thoughts", { kind: "reasoning", text: "hm", signature: foreign }],
    ["no thoughts", { kind: "reasoning", text: "", signature: foreign }],
  ])("a signature on %s is returned on it, streamed or not, and is sent to no other vendor", (_, part) => {
    const parts = [part, text("after")];
    for (const { content } of [
      messagesWire.client.render(whole(parts), contextFor()),
      assembledMessage(written(messagesWire.client.stream(contextFor()), whole(parts))),
    ] as readonly JsonRecord[]) {
      const { turns } = backFrom(content);
      expect(turns).toEqual([{ role: "assistant", parts }]);
      const again = JSON.stringify(render({ turns }).body);
      expect(again).not.toContain("c2lnbmVk");
      expect(again).not.toContain("thinking");
    }
  });

  /** Returns the blocks of a complete answer, after asserting that a stream has the same ones. */
  function blocks(parts: readonly Part[]): unknown {
    const { content } = messagesWire.client.render(whole(parts), contextFor());
    expect(assembledMessage(written(messagesWire.client.stream(contextFor()), whole(parts)))["content"]).toEqual(
      content,
    );
    return content;
  }
  const signatures: Part = { kind: "text", text: "", signature: foreign };

  test("a signature on empty text becomes a separate part", () => {
    const content = blocks([text("a"), signatures, text("b")]);
    const signatureCarrier = { kind: "reasoning", text: "", signature: foreign };
    expect(backFrom(content).turns[0]?.parts).toEqual([text("a"), signatureCarrier, text("b")]);
  });

  // Coding agents read the last block as the answer, and no vendor requires the signature of the last text.
  test.each<readonly [string, readonly Part[]]>([
    ["on the last text", [{ ...text("a"), signature: foreign }]],
    ["on an empty text after it", [text("a"), signatures]],
    ["on both", [{ ...text("a"), signature: foreign }, signatures, signatures]],
  ])("a signature %s is dropped, so that the text stays last", (_, parts) => {
    expect(blocks(parts)).toEqual([{ type: "text", text: "a" }]);
  });

  test("a signature is matched to its call at any position", () => {
    const parts: readonly Part[] = [
      { kind: "tool-call", id: "call_1", name: "f", arguments: "{}", signature: foreign },
    ];
    const { content }: any = messagesWire.client.render(whole(parts), contextFor());
    expect(backFrom(content.toReversed()).turns[0]?.parts).toEqual(parts);
  });
});
