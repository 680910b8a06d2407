import { expect, test } from "vitest";
import { openApi, type BodyName } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import { wires } from "../src/text/index.ts";

/** The bodies below have all members that clients may send. */
const png = "iVBORw0KGgoAAAA";
const params = { type: "object", properties: {} };
const chat = {
  model: "m",
  logprobs: true,
  messages: [
    { role: "system", content: [{ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } }] },
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url: "https://a/b.png", detail: "low" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA", file_id: null } },
        { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
        { type: "video_url", video_url: { url: "https://a/b.mp4" } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "a" },
        { type: "refusal", refusal: "b" },
      ],
      reasoning_content: "x",
      reasoning_details: [{ type: "reasoning.text", text: "a", signature: "s", format: "f", index: 0 }],
      tool_calls: [
        { id: "c1", type: "function", function: { name: "f", arguments: "{}" } },
        { id: "c2", type: "custom", custom: { name: "g", input: "x" } },
      ],
      annotations: [{ type: "url_citation", url_citation: { url: "u", title: "t", start_index: 0, end_index: 1 } }],
      audio: null,
      refusal: null,
    },
    { role: "tool", tool_call_id: "c1", content: "x" },
    { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "x" }] },
    { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
    { role: "function", name: "f", content: "x" },
  ],
  tools: [
    { type: "function", function: { name: "f", description: "d", parameters: params, strict: true } },
    {
      type: "custom",
      custom: {
        name: "g",
        description: "d",
        format: { type: "grammar", grammar: { syntax: "lark", definition: "x" } },
      },
    },
  ],
  tool_choice: {
    type: "allowed_tools",
    allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] },
  },
  response_format: { type: "json_schema", json_schema: { name: "n", description: "d", schema: params, strict: true } },
  stream_options: { include_usage: true, include_obfuscation: false },
  reasoning: { effort: "low", max_tokens: null, enabled: true, exclude: false },
  thinking: { type: "enabled", budget_tokens: 1024 },
  image_config: { aspect_ratio: "1:1", image_size: "1K" },
  web_search_options: {
    search_context_size: "low",
    user_location: { type: "approximate", approximate: { city: "a", country: "b", region: "c", timezone: "d" } },
  },
  usage: { include: true },
};
const responsesBody = {
  model: "m",
  input: [
    {
      type: "message",
      role: "user",
      id: "i",
      status: "completed",
      content: [
        { type: "input_text", text: "a" },
        { type: "input_image", image_url: "https://a/b.png", detail: "low" },
        {
          type: "input_file",
          filename: "a.pdf",
          file_data: "data:application/pdf;base64,AA",
          file_url: null,
          file_id: null,
        },
      ],
    },
    {
      type: "reasoning",
      id: "r",
      summary: [{ type: "summary_text", text: "a" }],
      content: [{ type: "reasoning_text", text: "x" }],
      encrypted_content: null,
    },
    {
      type: "message",
      role: "assistant",
      id: "i",
      status: "completed",
      content: [
        {
          type: "output_text",
          text: "a",
          annotations: [{ type: "url_citation", url: "u", title: "t", start_index: 0, end_index: 1 }],
          logprobs: [],
        },
        { type: "refusal", refusal: "x" },
      ],
    },
    { type: "function_call", call_id: "c", id: "i", name: "f", arguments: "{}", status: "completed", namespace: null },
    {
      type: "function_call_output",
      call_id: "c",
      output: [{ type: "input_text", text: "a" }],
      id: "i",
      status: "completed",
    },
    { type: "custom_tool_call", call_id: "d", id: "i", name: "g", input: "x" },
    { type: "custom_tool_call_output", call_id: "d", output: "x" },
  ],
  tools: [
    { type: "function", name: "f", description: "d", parameters: params, strict: true },
    { type: "custom", name: "g", description: "d", format: { type: "grammar", syntax: "lark", definition: "x" } },
    {
      type: "web_search",
      search_context_size: "low",
      user_location: { type: "approximate", city: "a" },
      filters: { allowed_domains: ["a"] },
    },
    { type: "namespace", name: "n", description: "d", tools: [{ type: "function", name: "h", parameters: params }] },
  ],
  tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] },
  reasoning: { effort: "low", summary: "auto" },
  text: {
    format: { type: "json_schema", name: "n", schema: params, strict: true, description: "d" },
    verbosity: "low",
  },
  stream_options: { include_obfuscation: false },
};
const cacheControl = { type: "ephemeral", ttl: "1h" };
const messagesBody = {
  model: "m",
  max_tokens: 9,
  system: [{ type: "text", text: "a", cache_control: cacheControl }],
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "a", cache_control: cacheControl },
        { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
        { type: "image", source: { type: "url", url: "https://a/b" } },
        {
          type: "document",
          title: "t",
          context: "c",
          citations: { enabled: true },
          source: { type: "base64", media_type: "application/pdf", data: "AA" },
        },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "a" } },
        { type: "document", source: { type: "content", content: [{ type: "text", text: "a" }] } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "a", signature: "s" },
        { type: "redacted_thinking", data: "x" },
        {
          type: "text",
          text: "a",
          citations: [
            { type: "web_search_result_location", url: "u", title: "t", cited_text: "c", encrypted_index: "e" },
          ],
        },
        { type: "tool_use", id: "c", name: "f", input: {} },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "c", is_error: false, content: [{ type: "text", text: "a" }] }],
    },
  ],
  tools: [
    { name: "f", type: "custom", description: "d", input_schema: params, strict: true, cache_control: cacheControl },
    {
      type: "web_search_20250305",
      name: "web_search",
      max_uses: 1,
      allowed_domains: ["a"],
      user_location: { type: "approximate", city: "a" },
    },
  ],
  tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true },
  thinking: { type: "enabled", budget_tokens: 1024, display: "omitted" },
  metadata: { user_id: "u" },
  output_config: { effort: "low", format: { type: "json_schema", schema: params } },
};
const contentBody = {
  systemInstruction: { role: "user", parts: [{ text: "a" }] },
  contents: [
    {
      role: "user",
      parts: [
        { text: "a" },
        { inlineData: { mimeType: "image/png", data: png } },
        { fileData: { fileUri: "https://a/b.pdf", mimeType: "application/pdf" } },
      ],
    },
    {
      role: "model",
      parts: [{ text: "a", thought: true, thoughtSignature: "s" }, { functionCall: { name: "f", args: {}, id: "c" } }],
    },
    {
      role: "user",
      parts: [
        {
          functionResponse: {
            id: "c",
            name: "f",
            response: { output: "a" },
            parts: [{ inlineData: { mimeType: "image/png", data: png } }],
          },
        },
      ],
    },
  ],
  tools: [
    {
      functionDeclarations: [
        { name: "f", description: "d", parameters: { type: "OBJECT" } },
        { name: "g", parametersJsonSchema: params },
      ],
    },
    { googleSearch: {} },
  ],
  toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
  generationConfig: {
    temperature: 1,
    topP: 1,
    topK: 1,
    maxOutputTokens: 9,
    candidateCount: 1,
    stopSequences: ["a"],
    seed: 1,
    presencePenalty: 0,
    frequencyPenalty: 0,
    responseMimeType: "application/json",
    responseSchema: { type: "OBJECT" },
    responseModalities: ["TEXT"],
    responseLogprobs: true,
    logprobs: 1,
    thinkingConfig: { includeThoughts: true, thinkingBudget: 1 },
    imageConfig: { aspectRatio: "1:1", imageSize: "1K" },
  },
};
const choices = [
  { type: "function", function: { name: "f" } },
  { type: "custom", custom: { name: "g" } },
];
const chatBodiesWithChoices = choices.map((tool_choice) => ({
  ...chat,
  messages: [{ role: "user", content: "a" }],
  tool_choice,
}));

const readers: readonly (readonly [BodyName, readonly JsonRecord[], (body: any) => unknown])[] = [
  ["ChatRequest", [chat, ...chatBodiesWithChoices], (body) => wires.chat.client.read(body)],
  ["ResponsesRequest", [responsesBody], (body) => wires.responses.client.read(body)],
  ["MessagesRequest", [messagesBody], (body) => wires.messages.client.read(body)],
  ["GenerateContentRequest", [contentBody], (body) => wires.content.client.read(body, { model: "m", stream: false })],
];

/** Paths of members with a client's own JSON. */
const clientsOwn =
  /(?:^|\.)(?:parameters|input_schema|schema|responseSchema|parametersJsonSchema|args|input|response)$/;
/** Paths of members that are read only to refuse or skip them. */
const passedOver = [/^systemInstruction\.parts\[\]\.(?!text$)/, /inlineData\.fileUri$/];

/** Returns a copy of a value that records the path of each member that is read. */
function recordReads(value: unknown, paths: Set<string>, path = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => recordReads(each, paths, `${path}[]`));
  if (!isRecord(value) || clientsOwn.test(path)) return value;
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const inside = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, recordReads(each, paths, at(name))]),
  );
  return new Proxy(inside, {
    get(target, name) {
      if (typeof name === "string" && name !== "toJSON") paths.add(at(name));
      return Reflect.get(target, name);
    },
  });
}

const document = JSON.parse(JSON.stringify(openApi()));

function describes(schema: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return true;
  if (!isRecord(schema)) return false;
  const { $ref: named, anyOf: others, properties, items } = schema;
  if (
    typeof named === "string" &&
    describes(document.components.schemas[named.split("/").at(-1) ?? ""], [step, ...rest])
  )
    return true;
  if (Array.isArray(others) && others.some((other) => describes(other, [step, ...rest]))) return true;
  if (step === "[]") return describes(items, rest);
  return isRecord(properties) && Object.hasOwn(properties, step) && describes(properties[step], rest);
}

test.each(readers)("/openapi.json describes every member within %s that its wire reads", (name, bodies, read) => {
  const paths = new Set<string>();
  for (const body of bodies) read(recordReads(body, paths));
  const within = [...paths].filter((path) => /[.[]/.test(path) && !passedOver.some((pattern) => pattern.test(path)));
  expect(within.length).toBeGreaterThan(20);
  const schema: unknown = document.components.schemas[name];
  expect(within.filter((path) => !describes(schema, path.replaceAll("[]", ".[]").split(".")))).toEqual([]);
});
