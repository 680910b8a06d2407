import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonRecord, runToEnd } from "@modelgate/formats/json";
import type { Part } from "../src/text/hub/part.ts";
import type { TextRequest } from "../src/text/hub/request.ts";
import { InteractionCollector } from "../src/text/interactions/collect.ts";
import { interactionsWire } from "../src/text/interactions/index.ts";
import { wires, type ClientOnlyWire } from "../src/text/index.ts";
import {
  answer,
  dialogue,
  failureOf,
  fileBytes,
  functionCall,
  functionTool,
  imageBytes,
  json,
  merged,
  numbered,
  plainImage,
  record,
  request,
  sampling,
  signatureWith,
  textPart,
  word,
} from "./arbitraries.ts";
import {
  contextFor,
  eventsOf,
  framesOf,
  oneAnswer,
  plain,
  readBack,
  renders,
  testsOfAnswers,
  toolRound,
  weather,
  written,
} from "./harness.ts";

const target = { model: "gemini-4-argon", defaultMaxTokens: 1_000 };
const { client, vendor, pass } = interactionsWire;
const parse = (body: JsonRecord) => client.read({ model: "m", ...body });
const render = renders(interactionsWire, target);

const round = {
  model: "m",
  system_instruction: "Be brief.",
  generation_config: { max_output_tokens: 300, thinking_level: "low", thinking_summaries: "auto", tool_choice: "auto" },
  tools: [{ type: "function", name: "get_weather", description: "Weather now", parameters: weather }],
  input: [
    {
      type: "user_input",
      content: [
        { type: "text", text: "Weather in this city?" },
        { type: "image", mime_type: "image/png", data: "iVBORw0KGgo=" },
      ],
    },
    { type: "model_output", content: [{ type: "text", text: "I check." }] },
    { type: "function_call", id: "call_1", name: "get_weather", arguments: { city: "Oslo" } },
    { type: "function_result", call_id: "call_1", name: "get_weather", result: '{"temp":4}' },
  ],
};
const roundRequest: TextRequest = {
  cacheMode: "automatic",
  ...toolRound,
  reasoning: { effort: "low", show: "summary" },
};

test("one tool round is parsed and rendered", () => {
  expect(parse(round)).toEqual({ request: roundRequest, dropped: [] });
  const { body, dropped } = vendor.render(roundRequest, { ...target, model: "m" });
  expect(dropped).toEqual([]);
  expect(plain(body)).toEqual({ ...round, store: false });
});

test.each<[string, unknown]>([
  ["text", "Hi"],
  ["one content", { type: "text", text: "Hi" }],
  ["contents", [{ type: "text", text: "Hi" }]],
  ["a step", [{ type: "user_input", content: "Hi" }]],
])("input may be %s", (_, input) => {
  expect(parse({ input }).request.turns).toEqual([{ role: "user", parts: [{ kind: "text", text: "Hi" }] }]);
});

const ownSignature = signatureWith("interactions", "signature");
const reasoningPart: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("reasoning"),
  text: word,
  summary: fc.constant(true),
  signature: ownSignature,
});
const file: fc.Arbitrary<Part> = fc.record({ kind: fc.constant("file"), source: fileBytes });
const media: fc.Arbitrary<Part> = fc.constantFrom<Part>(
  { kind: "video", source: { kind: "file-id", wire: "interactions", id: "gs://b/v", mediaType: "video/mp4" } },
  { kind: "audio", source: { kind: "base64", mediaType: "audio/wav", data: "AAAA" } },
  { kind: "image", source: { kind: "url", url: "https://pictures.example/1", mediaType: "image/png" } },
);
const searchCall: fc.Arbitrary<Part> = fc.constant({
  kind: "vendor",
  wire: "interactions",
  value: { type: "google_search_call", id: "s", arguments: { queries: ["a"] }, signature: "c2ln" },
});
const resultParts = fc.oneof(
  word.map((text) => [{ kind: "text" as const, text }]),
  fc.tuple(
    word.map((text) => ({ kind: "text" as const, text })),
    fc.record({ kind: fc.constant("image" as const), source: imageBytes }),
  ),
);
const turns = dialogue(
  fc.oneof(textPart, plainImage, file, media),
  fc.oneof(textPart, reasoningPart, plainImage, searchCall),
  functionCall,
  resultParts,
);
const fields = record({
  ...sampling,
  maxTokens: fc.integer({ min: 1, max: 9999 }),
  stop: fc.array(word, { minLength: 1, maxLength: 5 }),
  format: fc.oneof(
    fc.constant({ kind: "json" as const }),
    fc.record({ kind: fc.constant("schema" as const), schema: json }),
  ),
  reasoning: fc.record({
    effort: fc.constantFrom("minimal", "low", "medium", "high", "xhigh"),
    show: fc.constantFrom("none", "summary"),
  }),
  seed: fc.nat(),
  modalities: fc.constantFrom(["audio"], ["text", "audio"]),
  audio: fc.constant({ voice: "Kore" }),
  serviceTier: fc.constantFrom("default", "flex", "priority"),
}) as fc.Arbitrary<Partial<TextRequest>>;
const withTools = fc
  .record({
    drawnFields: fields,
    tools: fc.option(fc.array(functionTool, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    toolChoice: fc.constantFrom<TextRequest["toolChoice"]>(
      undefined,
      { mode: "required", names: ["f"] },
      { mode: "auto", names: ["f"] },
      { mode: "none" },
    ),
  })
  .map(({ drawnFields: drawn, tools, toolChoice }): Partial<TextRequest> => {
    // An answer with a schema must include text.
    const { format, modalities } = drawn;
    if (format !== undefined && modalities !== undefined) return { ...drawn, modalities: ["text", "audio"] };
    if (tools === undefined) return drawn;
    return toolChoice === undefined ? { ...drawn, tools } : { ...drawn, tools, toolChoice };
  });

test("a request that this wire can express is unchanged after rendering and parsing", () => {
  // A model of an unknown name accepts all thinking levels.
  const unknown = { ...target, model: "theirs" };
  fc.assert(
    fc.property(request(turns, withTools), (drawnRequest) => {
      const { body, dropped } = vendor.render(drawnRequest, unknown);
      expect(dropped).toEqual([]);
      const parsedBody = client.read(plain(body));
      expect(parsedBody.dropped).toEqual([]);
      const system = drawnRequest.instructions.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n\n");
      const { modalities, ...read } = parsedBody.request;
      expect({ ...read, ...(modalities && { modalities: modalities.toSorted() }) }).toEqual({
        ...drawnRequest,
        cacheMode: "automatic",
        model: unknown.model,
        instructions: system === "" ? [] : [{ kind: "text", text: system }],
        turns: merged(drawnRequest.turns),
        ...(drawnRequest.modalities && { modalities: drawnRequest.modalities.toSorted() }),
      });
    }),
  );
});

const answers = answer(
  fc
    .array(fc.oneof(textPart, reasoningPart, plainImage, searchCall, functionCall), { minLength: 1, maxLength: 6 })
    .map(numbered),
  fc.constantFrom("stop", "length", "filtered"),
).map((whole) => ({ ...whole, id: "resp_abc", model: "mine", createdAt: 1_763_700_000 }));

describe("answers", () => {
  testsOfAnswers({ wire: interactionsWire, answered: answers, expected: (whole) => whole });

  test("a client that joins a stream gets the same answer as without streaming", () => {
    fc.assert(
      fc.property(answers, (whole) => {
        const collector = new InteractionCollector();
        const events = framesOf(written(client.stream(contextFor()), whole)).map(({ event, data }) => {
          const body = JSON.parse(data);
          expect(body.event_type).toBe(event);
          return body;
        });
        expect(events.map(({ event_id }) => event_id)).toEqual(events.map((_, at) => String(at)));
        for (const event of events) collector.add(event);
        const { updated: _, ...assembled } = plain({ ...collector.interaction, steps: collector.steps });
        const { updated: __, ...rendered } = plain(client.render(whole, contextFor()));
        expect(assembled).toEqual(rendered);
      }),
    );
  });

  test("another vendor's signatures are returned in their positions", () => {
    const signed = { wire: "content", kind: "thoughtSignature", value: "CrQ" } as const;
    const parts: readonly Part[] = [
      {
        kind: "reasoning",
        text: "plan",
        summary: true,
        signature: { wire: "messages", kind: "signature", value: "Eq" },
      },
      { kind: "text", text: "Here", signature: signed },
      { kind: "tool-call", id: "c1", name: "f", arguments: "{}", signature: signed },
      { kind: "tool-call", id: "c2", name: "f", arguments: "{}" },
    ];
    const { steps } = plain(client.render(oneAnswer(parts), contextFor()));
    const input = [{ type: "user_input", content: "Hi" }, ...(steps as JsonRecord[])];
    expect(parse({ input }).request.turns[1]).toEqual({ role: "assistant", parts });
  });

  test("reasoning without a signature is not sent to the vendor", () => {
    const thinks: Part = { kind: "reasoning", text: "plan", summary: true };
    const { steps } = plain(client.render(oneAnswer([thinks, { kind: "text", text: "Hi" }]), contextFor()));
    const read = parse({ input: [{ type: "user_input", content: "Hi" }, ...(steps as JsonRecord[])] });
    const { body, dropped } = render({ turns: read.request.turns });
    expect(dropped).toEqual(["turn.reasoning"]);
    expect(JSON.stringify(body)).not.toContain("plan");
  });
});

describe("answers of the vendor", () => {
  const body = {
    id: "v1_a",
    status: "requires_action",
    model: "gemini-4-argon",
    created: "2026-11-26T04:00:00Z",
    steps: [
      { type: "thought", summary: [{ type: "text", text: "plan" }], signature: "Eq" },
      { type: "google_search_call", id: "s1", arguments: { queries: ["a", "b"] } },
      { type: "google_search_result", call_id: "s1", result: [] },
      {
        type: "model_output",
        content: [
          {
            type: "text",
            text: "Here",
            annotations: [{ type: "url_citation", url: "https://a.example", title: "A", start_index: 0, end_index: 4 }],
          },
          { type: "image", mime_type: "image/png", data: "iVBO" },
        ],
      },
      { type: "function_call", id: "f1", name: "get_weather", arguments: { city: "Oslo" } },
    ],
    usage: {
      total_input_tokens: 12,
      input_tokens_by_modality: [{ modality: "text", tokens: 12 }],
      total_cached_tokens: 2,
      total_output_tokens: 1_290,
      output_tokens_by_modality: [{ modality: "image", tokens: 1_120 }],
      total_thought_tokens: 55,
      total_tool_use_tokens: 7,
      total_tokens: 1_364,
      grounding_tool_count: [{ type: "google_search", count: 3 }],
    },
    service_tier: "flex",
  };
  const usage = {
    inputTokens: 17,
    cachedInputTokens: 2,
    outputTokens: 225,
    reasoningTokens: 55,
    outputImageTokens: 1_120,
  };

  test("steps of every kind are read", () => {
    const { choices, usage: used, createdAt } = vendor.parse(body);
    expect(used).toEqual(usage);
    expect(createdAt).toBe(1_795_665_600);
    expect(choices[0]?.finish).toBe("tool-calls");
    expect(choices[0]?.parts).toEqual([
      {
        kind: "reasoning",
        text: "plan",
        summary: true,
        signature: { wire: "interactions", kind: "signature", value: "Eq" },
      },
      { kind: "vendor", wire: "interactions", value: body.steps[1] },
      { kind: "vendor", wire: "interactions", value: body.steps[2] },
      {
        kind: "text",
        text: "Here",
        citations: [
          {
            url: "https://a.example",
            title: "A",
            own: { wire: "interactions", value: expect.objectContaining({ start_index: 0 }) },
          },
        ],
      },
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "iVBO" } },
      { kind: "tool-call", id: "f1", name: "get_weather", arguments: '{"city":"Oslo"}' },
    ]);
  });

  test("searches and the service tier are charged as reported", () => {
    expect(vendor.fees(body)).toEqual({
      calls: [
        { unit: "webSearches", id: "s1 0" },
        { unit: "webSearches", id: "s1 1" },
      ],
      counts: { webSearches: 3 },
      tier: "flex",
    });
    expect(vendor.fees({ steps: [], usage: {} })).toBeUndefined();
  });

  test("streams are read in the order of their events", () => {
    const sse = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
    const stream = [
      { event_type: "interaction.created", interaction: { id: "v1_a", status: "in_progress", model: "gemini" } },
      { event_type: "interaction.status_update", interaction_id: "v1_a", status: "in_progress" },
      { event_type: "step.start", index: 0, step: { type: "thought" } },
      { event_type: "step.delta", index: 0, delta: { type: "thought_summary", content: { type: "text", text: "p" } } },
      { event_type: "step.delta", index: 0, delta: { type: "thought_signature", signature: "Eq" } },
      { event_type: "step.stop", index: 0 },
      { event_type: "step.start", index: 1, step: { type: "google_search_call", id: "s1", arguments: {} } },
      {
        event_type: "step.delta",
        index: 1,
        delta: { type: "google_search_call", arguments: { queries: ["a"] }, signature: "x" },
      },
      { event_type: "step.stop", index: 1 },
      { event_type: "step.start", index: 2, step: { type: "model_output" } },
      { event_type: "step.delta", index: 2, delta: { type: "text", text: "He" } },
      {
        event_type: "step.delta",
        index: 2,
        delta: { type: "text", text: "re" },
        metadata: { total_usage: { total_input_tokens: 3 } },
      },
      {
        event_type: "step.delta",
        index: 2,
        delta: { type: "text_annotation_delta", annotations: [{ type: "url_citation", url: "u" }] },
      },
      { event_type: "step.stop", index: 2 },
      { event_type: "step.start", index: 3, step: { type: "function_call", id: "f1", name: "f", arguments: {} } },
      { event_type: "step.delta", index: 3, delta: { type: "arguments_delta", arguments: '{"a"' } },
      { event_type: "step.delta", index: 3, delta: { type: "arguments_delta", arguments: ":1}" } },
      { event_type: "step.stop", index: 3, usage: { total_input_tokens: 3, total_output_tokens: 2 } },
      {
        event_type: "interaction.completed",
        interaction: { id: "v1_a", status: "requires_action", usage: body.usage },
      },
    ];
    const read = readBack(vendor.stream(), stream.map(sse).join("") + "event: done\ndata: [DONE]\n\n");
    expect(read).toMatchObject({ id: "v1_a", model: "gemini", usage, choices: [{ finish: "tool-calls" }] });
    expect(read.choices[0]?.parts).toEqual([
      {
        kind: "reasoning",
        text: "p",
        summary: true,
        signature: { wire: "interactions", kind: "signature", value: "Eq" },
      },
      {
        kind: "vendor",
        wire: "interactions",
        value: { type: "google_search_call", id: "s1", arguments: { queries: ["a"] }, signature: "x" },
      },
      { kind: "text", text: "Here", citations: [{ url: "u", own: expect.anything() }] },
      { kind: "tool-call", id: "f1", name: "f", arguments: '{"a":1}' },
    ]);
    const [start] = stream.slice(6).map((event) => pass.inspect(Buffer.from(sse(event))));
    expect(start?.fees).toEqual({ calls: [{ unit: "webSearches", id: "s1 0" }] });
    expect(pass.inspect(Buffer.from(sse(stream.at(-1) ?? {})))).toMatchObject({
      done: true,
      usage,
      fees: { counts: { webSearches: 3 } },
    });
  });

  test.each(["failed", "cancelled", "budget_exceeded"])("an interaction that is %s is a failure", (status) => {
    const failedInteraction = { id: "v1_a", status, errors: [{ code: "internal", message: "It broke." }] };
    expect(failureOf(() => vendor.parse(failedInteraction))).toMatchObject({
      code: "upstream_error",
      message: "It broke.",
    });
    const frame = { event_type: "interaction.completed", interaction: failedInteraction };
    const events = eventsOf(vendor.stream(), `data: ${JSON.stringify(frame)}\n\n`);
    expect(events).toEqual([{ type: "failure", code: "INTERNAL", message: "It broke." }]);
    expect(pass.inspect(Buffer.from(`data: ${JSON.stringify(frame)}\n\n`))).toMatchObject({
      failure: { message: "It broke." },
    });
  });

  test.each([
    ["chat", { choices: [{ finish_reason: "length" }] }],
    ["messages", { stop_reason: "max_tokens" }],
    ["responses", { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }],
    ["content", { candidates: [{ finishReason: "MAX_TOKENS" }] }],
    ["interactions", { status: "incomplete" }],
    ["completions", { choices: [{ finish_reason: "length" }] }],
  ] as const)("an interaction that the vendor's request limit stopped is incomplete for %s clients", (wire, shown) => {
    const steps = [{ type: "model_output", content: [{ type: "text", text: "Hi" }] }];
    const parsed = vendor.parse({ id: "v1_a", status: "requires_continuation", continuation_token: "t", steps });
    const own: ClientOnlyWire = wires[wire];
    expect(own.client.render(parsed, contextFor())).toMatchObject(shown);
    const candidate = { content: { parts: [{ text: "Hi" }] }, finishReason: "CONTINUATION" };
    expect(wires.content.vendor.parse({ candidates: [candidate] }).choices[0]?.finish).toBe("length");
  });

  test("an unfinished interaction is polled", () => {
    expect(vendor.taskOf({ id: "v1_a", status: "in_progress" })).toBe("v1_a");
    expect(vendor.taskOf({ id: "v1_a", status: "queued" })).toBe("v1_a");
    expect(vendor.taskOf({ id: "v1_a", status: "completed" })).toBeUndefined();
  });
});

describe("agents", () => {
  const agent = { ...target, model: "deep-research-preview-04-2026" };

  test("run in the background, and accept no settings of a model", () => {
    const { body, dropped } = render({ turns: parse({ input: "Hi" }).request.turns, maxTokens: 5, seed: 1 }, agent);
    expect(body).toEqual({
      agent: agent.model,
      background: true,
      store: true,
      input: [{ type: "user_input", content: [{ type: "text", text: "Hi" }] }],
    });
    expect(dropped).toEqual(["maxTokens", "seed"]);
  });

  const eventOf = (event_type: string, more: object = {}) => ({ data: JSON.stringify({ event_type, ...more }) });
  const created = eventOf("interaction.created", { interaction: { id: "v1_a" } });

  test("a resumed stream repeats nothing: events without an id are recognised, and the start", () => {
    const run = vendor.run();
    const delta = (index: number, event_id?: string) => eventOf("step.delta", { index, event_id });
    const first = [created, eventOf("step.start", { index: 0 }), delta(0, "e1"), delta(1), delta(2)];
    expect(first.map((frame) => run.read(frame))).toEqual(first.map(() => true));
    expect([run.id, run.lastEvent, run.resume()]).toEqual(["v1_a", "e1", true]);
    const resumed = [delta(1), delta(2), delta(3), created, delta(2, "e2"), { data: "[DONE]" }];
    expect(resumed.map((frame) => run.read(frame))).toEqual([false, false, true, false, true, false]);
    expect([run.lastEvent, run.hasEnded]).toEqual(["e2", false]);
    expect(run.read(eventOf("interaction.completed", { interaction: { id: "v1_a", status: "failed" } }))).toBe(true);
    expect([run.hasEnded, run.resume()]).toEqual([true, false]);
  });

  test("a stream cannot be resumed before its id is known, and after too many events without an id", () => {
    const run = vendor.run();
    expect(run.resume()).toBe(false);
    run.read(created);
    expect(run.resume()).toBe(true);
    run.read(eventOf("step.delta", { delta: { type: "text", text: "x".repeat(300_000) } }));
    expect(run.resume()).toBe(false);
    run.read(eventOf("step.delta", { event_id: "e1" }));
    expect(run.resume()).toBe(true);
  });

  test("the usage of a cancelled interaction is read", () => {
    const state = { status: "cancelled", usage: { total_input_tokens: 3, total_output_tokens: 2 } };
    expect(vendor.run().usageOf(Buffer.from(JSON.stringify(state)))).toMatchObject({ outputTokens: 2 });
    expect(vendor.run().usageOf(Buffer.from("nothing"))).toBeUndefined();
  });

  test("a client can name an agent", () => {
    const body = { agent: agent.model, input: "Hi" };
    expect(client.readParams(body)).toMatchObject({ model: agent.model });
    expect(client.read(body).request.model).toBe(agent.model);
    expect(failureOf(() => client.readParams({ ...body, model: "m" }))).toMatchObject({ param: "agent" });
    expect(failureOf(() => client.readParams({ input: "Hi" }))).toMatchObject({ param: "model" });
  });
});

describe("forwarded answers", () => {
  const passed = (body: object, model?: string): unknown =>
    JSON.parse(
      runToEnd(pass.upstreamBody(Buffer.from(JSON.stringify(body)), { model, reportUsage: false })).toString(),
    );

  test("the vendor stores nothing, except for agents", () => {
    expect(passed({ model: "m", input: "Hi", store: true }, "theirs")).toEqual({
      model: "theirs",
      input: "Hi",
      store: false,
    });
    expect(passed({ agent: "a", input: "Hi" }, "deep-research-1")).toEqual({
      agent: "deep-research-1",
      input: "Hi",
      background: true,
      store: true,
    });
  });

  test("a body that names a model is not sent to an agent", () => {
    const accepts = (body: object, model: string) =>
      runToEnd(pass.accepts?.(Buffer.from(JSON.stringify(body)), model) ?? [].values());
    expect(accepts({ model: "m" }, "gemini-4-argon")).toBe(true);
    expect(accepts({ model: "m" }, "deep-research-1")).toBe(false);
    expect(accepts({ agent: "m" }, "deep-research-1")).toBe(true);
    expect(accepts({ agent: "m" }, "gemini-4-argon")).toBe(false);
  });

  test("the client gets the gateway's id", () => {
    const echo = { id: "int_1", previous_interaction_id: "int_0" };
    expect(JSON.parse(pass.echoAnswer?.(Buffer.from('{"id":"v1","steps":[]}'), echo).toString() ?? "")).toEqual({
      id: "int_1",
      steps: [],
      previous_interaction_id: "int_0",
    });
    const frame = (event: object) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
    const created = frame({ event_type: "interaction.created", interaction: { id: "v1" } });
    expect(pass.echoFrame?.(created, echo).toString()).toContain('"id":"int_1"');
    const update = frame({ event_type: "interaction.status_update", interaction_id: "v1" });
    expect(pass.echoFrame?.(update, echo).toString()).toContain('"interaction_id":"int_1"');
    const delta = frame({ event_type: "step.delta", delta: { type: "text", text: "v1" } });
    expect(pass.echoFrame?.(delta, echo)).toBe(delta);
  });
});

test.each<[string, JsonRecord]>([
  ["previous_interaction_id", { previous_interaction_id: "int_1" }],
  ["continuation_token", { continuation_token: "t" }],
  ["environment", { environment: "remote" }],
  ["cached_content", { cached_content: "c" }],
  ["webhook_config", { webhook_config: { uris: ["https://a.example"] } }],
  ["generation_config.speech_config", { generation_config: { speech_config: [{ voice: "a" }, { voice: "b" }] } }],
])("%s is refused if no other wire can express it", (param, body) => {
  expect(failureOf(() => parse({ input: "Hi", ...body }))).toMatchObject({ code: "unsupported_parameter", param });
});

test("a step of an unknown type is refused with its path", () => {
  const input = [{ type: "user_input", content: "Hi" }, { type: "dream" }];
  expect(failureOf(() => parse({ input }))).toMatchObject({ code: "invalid_value", param: "input[1].type" });
});

test("tools that only this vendor runs are sent only to it", () => {
  const { request: parsedRequest } = parse({
    input: "Hi",
    tools: [{ type: "google_search" }, { type: "file_search" }],
  });
  expect(render({ tools: parsedRequest.tools }).body).toMatchObject({
    tools: [{ type: "google_search" }, { type: "file_search" }],
  });
  expect(failureOf(() => wires.chat.vendor.render(parsedRequest, target))).toMatchObject({
    code: "unsupported_parameter",
  });
  expect(
    client.readParams({ model: "m", input: "Hi", tools: [{ type: "google_maps" }, { type: "function" }] }).fees,
  ).toEqual({
    tools: [{ path: "tools[0]", unit: "webSearches" }],
    tiers: [],
  });
});
