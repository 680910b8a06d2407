import { describe, expect, test } from "vitest";
import { textWire, type ClientWireName } from "@modelgate/wires/text";
import { readForClient, callOf, exchangeOf, vendorAnswer } from "./in-memory.ts";

const schema = {
  type: "object",
  properties: { cmd: { type: "string" } },
  required: ["cmd"],
  additionalProperties: false,
};
const order = "List the files.";

/** Coding agent: the body of its first request, and the way in which it reads calls from the stream. */
interface Agent {
  readonly name: string;
  readonly wire: ClientWireName;
  readonly body: object;
  /** Name of the tool at vendors without namespaces. */
  readonly tool: string;
  readonly call: object;
  readonly callsIn: (stream: string) => readonly unknown[];
}

const dataOf = (stream: string) =>
  stream
    .split("\n\n")
    .flatMap((frame) => frame.split("\n").filter((line) => line.startsWith("data: ")))
    .map((line) => JSON.parse(line.slice("data: ".length)));

const codex: Agent = {
  name: "Codex 0.169",
  wire: "responses",
  tool: "agents__shell",
  body: {
    model: "m",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { summary: "auto" },
    parallel_tool_calls: true,
    tool_choice: "auto",
    prompt_cache_key: "session",
    client_metadata: { session_id: "session", "x-codex-turn-metadata": "{}" },
    tools: [
      { type: "function", name: "look", description: "Looks at a file.", strict: false, parameters: schema },
      {
        type: "namespace",
        name: "agents",
        description: "Tools of sub-agents.",
        tools: [{ type: "function", name: "shell", description: "Runs.", strict: false, parameters: schema }],
      },
      { type: "web_search", external_web_access: true },
    ],
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "You are a coding agent." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "<environment_context/>" }] },
      { type: "message", role: "user", id: "msg_1", content: [{ type: "input_text", text: order }] },
    ],
  },
  call: { type: "function_call", name: "shell", namespace: "agents", arguments: '{"cmd":"ls"}' },
  callsIn: (stream) => dataOf(stream).at(-1).response.output,
};

const claudeCode: Agent = {
  name: "Claude Code 2.1",
  wire: "messages",
  tool: "shell",
  body: {
    model: "m",
    stream: true,
    max_tokens: 32_000,
    thinking: { type: "enabled", budget_tokens: 31_999 },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    metadata: { user_id: "user" },
    system: [
      { type: "text", text: "x-anthropic-billing-header: cc_version=2.1;" },
      { type: "text", text: "You are an agent.", cache_control: { type: "ephemeral" } },
    ],
    tools: [{ name: "shell", description: "Runs.", input_schema: schema, eager_input_streaming: true }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "<system-reminder>Context.</system-reminder>" },
          { type: "text", text: order, cache_control: { type: "ephemeral" } },
        ],
      },
      { role: "system", content: [{ type: "text", text: "# Environment" }] },
    ],
  },
  call: { type: "tool_use", name: "shell" },
  callsIn: (stream) => dataOf(stream).map(({ content_block }) => content_block ?? {}),
};

const geminiCli: Agent = {
  name: "Gemini CLI 0.61",
  wire: "content",
  tool: "shell",
  body: {
    systemInstruction: { role: "user", parts: [{ text: "You are an agent." }] },
    contents: [{ role: "user", parts: [{ text: "<session_context/>" }, { text: order }] }],
    generationConfig: { temperature: 1, topP: 0.95, topK: 64, thinkingConfig: { includeThoughts: true } },
    tools: [{ functionDeclarations: [{ name: "shell", description: "Runs.", parametersJsonSchema: schema }] }],
  },
  call: { functionCall: expect.objectContaining({ name: "shell", args: { cmd: "ls" } }) },
  // Gemini CLI searches frames with this expression from the start of the stream, so every frame must be data.
  callsIn(stream) {
    const parts: unknown[] = [];
    let rest = stream;
    for (let frame = frameOf(rest); frame !== undefined; frame = frameOf(rest)) {
      parts.push(...(JSON.parse(frame.json).candidates[0]?.content?.parts ?? []));
      rest = rest.slice(frame.length);
    }
    expect(rest.trim()).toBe("");
    return parts;
  },
};

function frameOf(text: string): { readonly json: string; readonly length: number } | undefined {
  const frameMatch = /^\s*data: (.*)(?:\n\n|\r\r|\r\n\r\n)/.exec(text);
  return frameMatch?.[1] === undefined ? undefined : { json: frameMatch[1], length: frameMatch[0].length };
}

const vendors = ["chat", "responses", "messages", "content"] as const;

describe.each([codex, claudeCode, geminiCli])("the request of $name", ({ wire, body, tool, call, callsIn }) => {
  test.each(vendors)("is answered with a call by a vendor of %s", async (vendor) => {
    const exchange = await exchangeOf(callOf(wire, body, { stream: true }), textWire(vendor));
    const parts = [{ kind: "tool-call", id: "call_1", name: tool, arguments: '{"cmd":"ls"}' }] as const;
    const choices = [{ parts, finish: "tool-calls" }] as const;
    const answer = { id: "a_1", model: "m", createdAt: 1, choices, usage: { inputTokens: 10, outputTokens: 2 } };
    const { text } = await readForClient(exchange, vendorAnswer(vendor, exchange, answer));
    expect(callsIn(text)).toContainEqual(expect.objectContaining(call));
  });
});
