import { afterAll, beforeAll, expect, test } from "vitest";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
beforeAll(async () => {
  started = await startSimulator({ "x-goog-api-key": "key" });
});
afterAll(() => started[Symbol.asyncDispose]());

const pathOf = (action: string, model = "gemini-3-flash") => `/gemini/v1beta/models/${model}:${action}`;
const user = (...parts: unknown[]) => ({ role: "user", parts });
const model = (...parts: unknown[]) => ({ role: "model", parts });
const requestBody = (text: string, more: object = {}) => ({ contents: [user({ text })], ...more });
const post = (body: unknown, name?: string) => started.post(pathOf("generateContent", name), body);
const weatherFunction = { name: "weather", parameters: { type: "OBJECT", properties: { city: { type: "STRING" } } } };
const tools = [{ functionDeclarations: [weatherFunction] }];

test("an echo, with images and files by type and size; both spellings of a field are accepted", async () => {
  const body = {
    system_instruction: { parts: [{ text: "Be brief." }] },
    contents: [user({ text: "Look: " }, { inline_data: { mime_type: "image/png", data: "iVBORw0KGgo=" } })],
    generation_config: { max_output_tokens: 100 },
  };
  expect((await post(body, "models%2Fgemini-3-flash")).body).toMatchObject({
    candidates: [
      {
        index: 0,
        content: { role: "model", parts: [{ text: "You said: Look: [image image/png 12 characters]" }] },
        finishReason: "STOP",
      },
    ],
    modelVersion: "gemini-3-flash-001",
  });
});

test("token counts: thinking is not part of the candidates' tokens", async () => {
  const usage = { inputTokens: 1_000, cachedTokens: 600, outputTokens: 80, reasoningTokens: 30 };
  expect((await post(requestBody(simulate({ usage })))).body.usageMetadata).toMatchObject({
    promptTokenCount: 1_000,
    cachedContentTokenCount: 600,
    candidatesTokenCount: 50,
    thoughtsTokenCount: 30,
    totalTokenCount: 1_080,
  });
  expect((await started.post(pathOf("countTokens"), requestBody("Hello"))).body).toMatchObject({ totalTokens: 2 });
});

test("a stream is events, or one JSON array", async () => {
  const body = requestBody(simulate({ reasoning: "Hm", text: "Ah", toolCalls: [{ name: "weather", arguments: {} }] }), {
    tools,
  });
  const frames = await started.stream(`${pathOf("streamGenerateContent")}?alt=sse`, body);
  const pieces: readonly any[] = frames.map(({ data }) => data);
  const array = (await started.post(pathOf("streamGenerateContent"), body)).body;
  expect(array).toHaveLength(pieces.length);
  const parts = pieces.flatMap(({ candidates }) => candidates[0].content.parts);
  expect(parts.map(({ text, thought }) => (thought === true ? text : "")).join("")).toBe("Hm");
  expect(parts.map(({ text = "", thought }) => (thought === true ? "" : text)).join("")).toBe("Ah");
  expect(parts.find(({ functionCall }) => functionCall)).toMatchObject({
    functionCall: { id: expect.any(String), name: "weather", args: {} },
    thoughtSignature: expect.any(String),
  });
  expect(pieces.map(({ candidates }) => candidates[0].finishReason)).toEqual([
    ...pieces.slice(1).map(() => undefined),
    "STOP",
  ]);
  expect(pieces.every(({ usageMetadata }) => usageMetadata.promptTokenCount > 0)).toBe(true);
});

test("a tool round: each call is returned with its signature", async () => {
  const first = (await post(requestBody("call weather {} call weather {}", { tools }))).body.candidates[0];
  expect(first.finishReason).toBe("STOP");
  const [one, two] = first.content.parts;
  expect([one, two].map(({ thoughtSignature }) => typeof thoughtSignature)).toEqual(["string", "undefined"]);
  const results = user(
    ...[one, two].map(({ functionCall: { id, name } }, place) => ({
      functionResponse: { id, name, response: { content: `result ${place}` } },
    })),
  );
  const go = (name: string, ...parts: unknown[]) =>
    post({ contents: [...requestBody("Hi").contents, model(...parts), results], tools }, name);
  expect((await go("gemini-3-pro", one, two)).body.candidates[0].content.parts[0].text).toBe("result 0\nresult 1");
  const { thoughtSignature: _, ...bare } = one;
  expect((await go("gemini-3-pro", bare, two)).body.error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
  expect((await go("gemini-2.5-pro", bare, two)).status).toBe(200);
  expect((await go("gemini-3-pro", { ...bare, thoughtSignature: "Crqk" }, two)).status).toBe(400);
  const dummy = { ...bare, thoughtSignature: "skip_thought_signature_validator" };
  expect((await go("gemini-3-pro", dummy, two)).status).toBe(200);
});

test("a streamed turn may be sent back in pieces, as the official SDK stores it", async () => {
  const question = user({ text: "call weather {}" });
  const request = { contents: [question], tools, generationConfig: { thinkingConfig: { includeThoughts: true } } };
  const frames = await started.stream(`${pathOf("streamGenerateContent")}?alt=sse`, request);
  const pieces = frames.map(({ data }) => data.candidates[0].content);
  expect(pieces.length).toBeGreaterThan(2);
  const { functionCall } = pieces.flatMap(({ parts }) => parts).find((part) => part.functionCall);
  const result = user({
    functionResponse: { id: functionCall.id, name: "weather", response: { output: "4 degrees" } },
  });
  const { body } = await post({ ...request, contents: [question, ...pieces, result] });
  expect(body.candidates[0].content.parts.at(-1).text).toBe("4 degrees");
});

test("an image is generated if the request has this modality", async () => {
  const options = { generationConfig: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "1:1" } } };
  const { candidates, usageMetadata } = (await post(requestBody("A boat", options))).body;
  const [{ inlineData }] = candidates[0].content.parts;
  expect(Buffer.from(inlineData.data, "base64").subarray(1, 4).toString()).toBe("PNG");
  expect(usageMetadata.candidatesTokensDetails).toContainEqual({ modality: "IMAGE", tokenCount: 1_290 });
});

test("thinking is shown on request; answers match the schema", async () => {
  const thinking = (config: object) => requestBody("Hi", { generationConfig: { thinkingConfig: config } });
  const parts = async (config: object) => (await post(thinking(config))).body.candidates[0].content.parts;
  expect(await parts({ thinkingLevel: "LOW", includeThoughts: true })).toMatchObject([{ thought: true }, {}]);
  expect(await parts({ thinkingLevel: "LOW" })).toMatchObject([{ text: "You said: Hi" }]);
  const responseSchema = { type: "OBJECT", properties: { size: { type: "INTEGER", minimum: 2 } } };
  const fitting = await post(
    requestBody("Hi", { generationConfig: { responseMimeType: "application/json", responseSchema } }),
  );
  expect(JSON.parse(fitting.body.candidates[0].content.parts[0].text)).toEqual({ size: 2 });
});

test("texts get vectors of the requested length", async () => {
  const content = { parts: [{ text: "a red boat" }] };
  const one = (await started.post(pathOf("embedContent"), { content, outputDimensionality: 8 })).body.embedding.values;
  expect(one).toHaveLength(8);
  const requests = [{ model: "models/m", content, outputDimensionality: 8 }];
  expect((await started.post(pathOf("batchEmbedContents"), { requests })).body.embeddings[0].values).toEqual(one);
});

test("a prompt selects a finish reason or an error", async () => {
  expect((await post(requestBody(simulate({ finish: "content_filter" })))).body.candidates[0].finishReason).toBe(
    "SAFETY",
  );
  expect((await post(requestBody(simulate({ finish: "blocked" })))).body).toMatchObject({
    promptFeedback: { blockReason: "SAFETY" },
  });
  const quota = requestBody(simulate({ status: 429, retryAfter: "12" }));
  const exhausted = { error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "12s" }] } };
  expect(await post(quota)).toMatchObject({ status: 429, body: exhausted });
  expect((await started.post(pathOf("streamGenerateContent"), quota)).body).toMatchObject([exhausted]);
  const broken = requestBody(simulate({ errorAfterChunks: 1 }));
  expect((await started.post(pathOf("streamGenerateContent"), broken)).body.at(-1)).toMatchObject({
    error: { code: 503, status: "UNAVAILABLE" },
  });
});

test.each<[string, string, Record<string, string>, number, string]>([
  ["no key", "", { "x-goog-api-key": "" }, 403, "PERMISSION_DENIED"],
  ["an invalid key", "", { "x-goog-api-key": "bad-k" }, 400, "INVALID_ARGUMENT"],
  ["an invalid key in the URL", "?key=bad-k", { "x-goog-api-key": "" }, 400, "INVALID_ARGUMENT"],
])("a request with %s is not authenticated", async (_, query, headers, code, status) => {
  expect(await started.post(pathOf("generateContent") + query, requestBody("Hi"), headers)).toMatchObject({
    status: code,
    body: { error: { code, status } },
  });
});

const call = { functionCall: { name: "weather", args: {} } };
const result = { functionResponse: { name: "weather", response: {} } };
const config = (generationConfig: object) => ({ generationConfig });

test.each<[string, object, string]>([
  ["an unknown field", { messages: [] }, "messages"],
  ["an unknown setting", config({ max_tokens: 1 }), "generationConfig.maxTokens"],
  ["no contents", { contents: [] }, "contents"],
  ["no parts", { contents: [user()] }, "contents[0].parts"],
  ["a part with two kinds of content", { contents: [user({ text: "x", ...call })] }, "contents[0].parts[0]"],
  ["an empty part", { contents: [user({})] }, "contents[0].parts[0]"],
  ["a role of another wire", { contents: [{ role: "assistant", parts: [{ text: "x" }] }] }, "contents[0].role"],
  ["a model turn last", { contents: [user({ text: "x" }), model({ text: "y" })] }, "contents[1]"],
  ["a result without a call", { contents: [user(result)] }, "contents[0]"],
  ["a call without a result", { contents: [user({ text: "x" }), model(call), user({ text: "y" })] }, "contents[2]"],
  ["one result of two", { contents: [user({ text: "x" }), model(call, call), user(result)] }, "contents[2]"],
  ["a system instruction as a string", { systemInstruction: "Be brief." }, "systemInstruction"],
  [
    "a picture of another type",
    { contents: [user({ inlineData: { mimeType: "image/bmp", data: "AAAA" } })] },
    "contents[0].parts[0].inlineData.mimeType",
  ],
  [
    "arguments as a string",
    { contents: [user({ text: "x" }), model({ functionCall: { name: "weather", args: "{}" } })] },
    "contents[1].parts[0].functionCall.args",
  ],
  [
    "JSON Schema where it is not known",
    { tools: [{ functionDeclarations: [{ name: "f", parameters: { type: "OBJECT", additionalProperties: false } }] }] },
    "tools[0].functionDeclarations[0].parameters.additionalProperties",
  ],
  ["six stops", config({ stopSequences: ["1", "2", "3", "4", "5", "6"] }), "generationConfig.stopSequences"],
  ["a schema of plain text", config({ responseSchema: { type: "STRING" } }), "generationConfig.responseMimeType"],
  [
    "both thinking settings",
    config({ thinkingConfig: { thinkingBudget: 1, thinkingLevel: "LOW" } }),
    "generationConfig.thinkingConfig",
  ],
  [
    "a name with invalid characters",
    { tools: [{ functionDeclarations: [{ name: "1f" }] }] },
    "tools[0].functionDeclarations[0].name",
  ],
  [
    "functions with a search, from a client that does not declare that it returns the steps",
    { tools: [{ functionDeclarations: [{ name: "f" }] }, { googleSearch: {} }] },
    "toolConfig.includeServerSideToolInvocations",
  ],
  [
    "a call mode without functions",
    { toolConfig: { functionCallingConfig: { mode: "AUTO" } } },
    "toolConfig.functionCallingConfig",
  ],
])("refused: %s", async (_, more, field) => {
  const { status, body } = await post({ ...requestBody("Hi"), ...more });
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ status: "INVALID_ARGUMENT", details: [{ fieldViolations: [{ field }] }] });
});

test.each([
  ["gemini-3.8-flash", "MINIMAL", 400],
  ["gemini-3.1-pro-preview", "MEDIUM", 200],
  ["gemini-3-pro-preview", "MEDIUM", 400],
  ["gemini-3-flash", "MINIMAL", 200],
  ["gemini-4-argon", "XHIGH", 400],
])("%s answers a request with the thinking level %s by %i", async (name, thinkingLevel, status) => {
  const answer = await post(requestBody("Hi", config({ thinkingConfig: { thinkingLevel } })), name);
  expect(answer.status).toBe(status);
  if (status === 400)
    expect(answer.body.error.message).toBe(
      `Thinking level ${thinkingLevel} is not supported for this model. Please retry with other thinking level.`,
    );
});
