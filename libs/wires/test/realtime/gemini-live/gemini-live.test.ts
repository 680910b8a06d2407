import { describe, expect, test } from "vitest";
import { vendorsTranscribers, type BridgedMessages } from "../../../src/realtime/hub/bridge.ts";
import { eventMessage } from "../../../src/realtime/hub/message.ts";
import { GeminiLiveBridge } from "../../../src/realtime/gemini-live/vendor-bridge.ts";
import { responseUsage } from "../../../src/realtime/gemini-live/vendor-response.ts";

const parsed = (messages: BridgedMessages["toClient"]): any[] =>
  messages.map(({ data }) => JSON.parse(data.toString()));

function openSession() {
  const bridge = new GeminiLiveBridge({
    model: "live",
    upstreamModel: "gemini-live-1",
    sessionId: "s",
    transcribers: vendorsTranscribers,
    allowsVendorTools: false,
  });
  const begin = parsed(bridge.open().toClient);
  const parsedBoth = (bridged: BridgedMessages) => ({
    client: parsed(bridged.toClient),
    vendor: parsed(bridged.toVendor),
  });
  return {
    bridge,
    begin,
    client: (event: object) => parsedBoth(bridge.fromClient(eventMessage(event))),
    vendor: (message: object) => parsedBoth(bridge.fromVendor({ ...eventMessage(message), binary: true })),
  };
}

const types = (events: readonly { type: string }[]): readonly string[] => events.map(({ type }) => type);
const textSession = { type: "realtime", output_modalities: ["text"] };
const userMessage = (words: string) => ({
  type: "conversation.item.create",
  item: { type: "message", role: "user", content: [{ type: "input_text", text: words }] },
});
const usageMetadata = {
  promptTokenCount: 30,
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 10 },
    { modality: "AUDIO", tokenCount: 20 },
  ],
  cachedContentTokenCount: 8,
  cacheTokensDetails: [{ modality: "TEXT", tokenCount: 8 }],
  responseTokenCount: 12,
  responseTokensDetails: [{ modality: "AUDIO", tokenCount: 12 }],
  thoughtsTokenCount: 3,
};

function openConfirmedSession(session: object = textSession) {
  const live = openSession();
  live.client({ type: "session.update", session });
  live.vendor({ setupComplete: {} });
  return live;
}

/** Opens a session with these settings. */
function begunWith(session: object) {
  const live = openSession();
  const [{ setup }] = live.client({ type: "session.update", session: { type: "realtime", ...session } }).vendor;
  const [updated] = live.vendor({ setupComplete: {} }).client;
  return { setup, updated };
}

describe("settings", () => {
  test("that the vendor does not support are named only by session.updated", () => {
    const lacking = begunWith({
      tracing: "auto",
      audio: {
        input: {
          noise_reduction: { type: "near_field" },
          transcription: { model: "gpt-4o-transcribe", language: "de" },
          turn_detection: { type: "semantic_vad", eagerness: "low" },
        },
        output: { voice: "alloy", speed: 1.2 },
      },
      tools: [{ type: "function", name: "f", parameters: {}, strict: true }],
    });
    expect(lacking.updated.dropped).toEqual([
      "session.tracing",
      "session.audio.input.noise_reduction",
      "session.audio.input.transcription.model",
      "session.audio.input.transcription.language",
      "session.audio.input.turn_detection.type",
      "session.audio.input.turn_detection.eagerness",
      "session.audio.output.speed",
      "session.audio.output.voice",
      "session.tools.strict",
    ]);
    expect(lacking.setup.generationConfig).toEqual({ responseModalities: ["AUDIO"] });
    const whole = begunWith({ audio: { output: { voice: "kore", speed: 1 } }, truncation: "auto" });
    expect(whole.updated).not.toHaveProperty("dropped");
    expect(whole.setup.generationConfig.speechConfig).toEqual({
      voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } },
    });
    // A session with text output has no voice.
    expect(begunWith({ ...textSession, audio: { output: { voice: "alloy" } } }).updated).not.toHaveProperty("dropped");
  });

  test("are sent with the first event, and later events wait until the vendor has accepted them", () => {
    const live = openSession();
    expect(live.begin).toMatchObject([{ type: "session.created", session: { model: "live", type: "realtime" } }]);
    const tool = { type: "function", name: "weather", description: "d", parameters: { type: "object" } };
    const update = live.client({
      type: "session.update",
      session: {
        ...textSession,
        instructions: "Be short.",
        tools: [tool],
        max_output_tokens: 100,
        audio: {
          input: { turn_detection: { type: "server_vad", silence_duration_ms: 300, interrupt_response: false } },
        },
      },
    });
    expect(update.client).toEqual([]);
    expect(update.vendor).toEqual([
      {
        setup: {
          model: "models/gemini-live-1",
          generationConfig: { responseModalities: ["TEXT"], maxOutputTokens: 100 },
          systemInstruction: { parts: [{ text: "Be short." }] },
          tools: [
            { functionDeclarations: [{ name: "weather", description: "d", parametersJsonSchema: { type: "object" } }] },
          ],
          realtimeInputConfig: {
            automaticActivityDetection: { silenceDurationMs: 300 },
            activityHandling: "NO_INTERRUPTION",
          },
        },
      },
    ]);
    expect(live.client(userMessage("Hello")).vendor).toEqual([]);
    expect(live.client({ type: "response.create" }).vendor).toEqual([]);
    const confirmedMessages = live.vendor({ setupComplete: {} });
    expect(confirmedMessages.client).toMatchObject([
      { type: "session.updated", session: { instructions: "Be short." } },
    ]);
    expect(confirmedMessages.vendor).toEqual([
      { clientContent: { turns: [{ role: "user", parts: [{ text: "Hello" }] }], turnComplete: true } },
    ]);
  });

  test("of a session without settings are the defaults: speech in and out", () => {
    const { vendor } = openSession().client({ type: "input_audio_buffer.append", audio: "AAAA" });
    expect(vendor).toMatchObject([
      { setup: { generationConfig: { responseModalities: ["AUDIO"] }, outputAudioTranscription: {} } },
    ]);
  });

  test("that are sent again are accepted if they change nothing, and refused otherwise", () => {
    const live = openConfirmedSession();
    expect(types(live.client({ type: "session.update", session: textSession }).client)).toEqual(["session.updated"]);
    const refused = live.client({ type: "session.update", session: { type: "realtime", instructions: "Sing." } });
    expect(refused.client).toMatchObject([{ type: "error", error: { code: "invalid_value", param: "session" } }]);
    expect(refused.vendor).toEqual([]);
  });

  test.each<[object, string]>([
    [{ tool_choice: "required" }, "session.tool_choice"],
    [{ audio: { input: { format: { type: "audio/pcmu" } } } }, "session.audio.input.format.type"],
    [{ audio: { input: { format: { type: "audio/pcm", rate: 16_000 } } } }, "session.audio.input.format.rate"],
    [
      { audio: { input: { turn_detection: { type: "server_vad", create_response: false } } } },
      "session.audio.input.turn_detection.create_response",
    ],
    [{ tools: [{ type: "mcp" }] }, "session.tools[0].type"],
    [{ model: "another" }, "session.model"],
    [{ type: "transcription" }, "session.type"],
    [{ nonsense: 1 }, "session.nonsense"],
  ])("that the vendor does not support are refused by name: %j", (session, param) => {
    const { client, vendor } = openSession().client({ type: "session.update", event_id: "e", session });
    expect(client).toMatchObject([{ type: "error", error: { param, event_id: "e" } }]);
    expect(vendor).toEqual([]);
  });
});

describe("answers", () => {
  test("in text are sent event by event, with their usage", () => {
    const live = openConfirmedSession();
    live.client(userMessage("Hello"));
    expect(types(live.client({ type: "response.create" }).client)).toEqual(["response.created"]);
    const first = live.vendor({
      serverContent: { modelTurn: { parts: [{ text: "thinking", thought: true }, { text: "He" }] } },
    });
    expect(types(first.client)).toEqual([
      "response.output_item.added",
      "conversation.item.added",
      "response.content_part.added",
      "response.output_text.delta",
    ]);
    const last = live.vendor({
      serverContent: { modelTurn: { parts: [{ text: "llo" }] }, turnComplete: true },
      usageMetadata,
    });
    expect(types(last.client)).toEqual([
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "conversation.item.done",
      "response.done",
    ]);
    const { response } = last.client.at(-1) ?? {};
    expect(response).toMatchObject({
      status: "completed",
      output: [{ role: "assistant", content: [{ type: "output_text", text: "Hello" }] }],
      usage: {
        total_tokens: 45,
        input_tokens: 30,
        output_tokens: 15,
        input_token_details: { text_tokens: 10, audio_tokens: 20, cached_tokens: 8 },
        output_token_details: { text_tokens: 3, audio_tokens: 12, reasoning_tokens: 3 },
      },
    });
    const ids = new Set(
      [...first.client, ...last.client].flatMap(({ response_id: id }) => (id === undefined ? [] : [id])),
    );
    expect([...ids]).toEqual([response.id]);
  });

  test("in speech have a transcript, and transcribed input speech", () => {
    const live = openConfirmedSession({ type: "realtime", audio: { input: { transcription: { model: "any" } } } });
    expect(live.client({ type: "input_audio_buffer.append", audio: "AAAA" }).vendor).toEqual([
      { realtimeInput: { audio: { mimeType: "audio/pcm;rate=24000", data: "AAAA" } } },
    ]);
    expect(types(live.vendor({ serverContent: { inputTranscription: { text: "Hi" } } }).client)).toEqual([
      "conversation.item.added",
      "conversation.item.done",
      "conversation.item.input_audio_transcription.delta",
    ]);
    const spokenAnswer = live.vendor({
      serverContent: {
        modelTurn: { parts: [{ inlineData: { mimeType: "audio/pcm;rate=24000", data: "BBBB" } }] },
        outputTranscription: { text: "Ho" },
      },
    });
    expect(types(spokenAnswer.client)).toEqual([
      "response.created",
      "response.output_item.added",
      "conversation.item.added",
      "response.content_part.added",
      "response.output_audio.delta",
      "response.output_audio_transcript.delta",
    ]);
    const done = live.vendor({ serverContent: { turnComplete: true } }).client.at(-1);
    expect(done?.response).toMatchObject({
      usage: null,
      output: [{ content: [{ type: "output_audio", transcript: "Ho" }] }],
    });
  });

  test("that call functions continue with their results", () => {
    const live = openConfirmedSession();
    live.client(userMessage("Weather?"));
    live.client({ type: "response.create" });
    const callResult = live.vendor({
      toolCall: { functionCalls: [{ id: "c1", name: "weather", args: { city: "Bern" } }] },
      usageMetadata,
    });
    expect(callResult.client.at(-1)?.response.output).toMatchObject([
      { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Bern"}' },
    ]);
    const output = { type: "function_call_output", call_id: "c1", output: "sunny" };
    expect(live.client({ type: "conversation.item.create", item: output }).vendor).toEqual([]);
    expect(live.client({ type: "response.create" }).vendor).toEqual([
      { toolResponse: { functionResponses: [{ id: "c1", name: "weather", response: { output: "sunny" } }] } },
    ]);
    const refusedOutput = live.client({ type: "conversation.item.create", item: { ...output, call_id: "c9" } });
    expect(refusedOutput.client).toMatchObject([{ type: "error", error: { param: "item.call_id" } }]);
  });

  test("are interrupted by speech, and cancelled by the client", () => {
    const live = openConfirmedSession();
    live.vendor({ serverContent: { modelTurn: { parts: [{ text: "Once upon" }] } } });
    expect(types(live.vendor({ serverContent: { interrupted: true } }).client)).toEqual([
      "input_audio_buffer.speech_started",
    ]);
    const done = live.vendor({ serverContent: { turnComplete: true }, usageMetadata }).client.at(-1);
    expect(done?.response).toMatchObject({
      status: "cancelled",
      status_details: { reason: "turn_detected" },
      usage: { input_tokens: 30 },
    });

    live.vendor({ serverContent: { modelTurn: { parts: [{ text: "Again" }] } } });
    expect(live.client({ type: "response.cancel" }).vendor).toEqual([
      { clientContent: { turns: [], turnComplete: false } },
    ]);
    const ended = live.vendor({ serverContent: { interrupted: true, turnComplete: true } });
    expect(types(ended.client)).not.toContain("input_audio_buffer.speech_started");
    expect(ended.client.at(-1)?.response.status_details.reason).toBe("client_cancelled");
    expect(live.client({ type: "response.cancel" }).client).toMatchObject([
      { error: { code: "response_cancel_not_active" } },
    ]);
  });
});

test("of turns that the client ends wait for its request, and can be cleared", () => {
  const live = openConfirmedSession({ type: "realtime", audio: { input: { turn_detection: null } } });
  const append = (audio: string) => live.client({ type: "input_audio_buffer.append", audio });
  expect(append("AAAA").vendor).toEqual([]);
  live.client({ type: "input_audio_buffer.clear" });
  expect(live.client({ type: "input_audio_buffer.commit" }).client).toMatchObject([
    { error: { code: "input_audio_buffer_commit_empty" } },
  ]);
  append("BBBB");
  append("CCCC");
  expect(live.client({ type: "input_audio_buffer.commit" }).client[0]?.type).toBe("input_audio_buffer.committed");
  expect(live.client({ type: "response.create" }).vendor).toEqual([
    { realtimeInput: { activityStart: {} } },
    { realtimeInput: { audio: { mimeType: "audio/pcm;rate=24000", data: "BBBB" } } },
    { realtimeInput: { audio: { mimeType: "audio/pcm;rate=24000", data: "CCCC" } } },
    { realtimeInput: { activityEnd: {} } },
  ]);
});

describe("an item of the conversation", () => {
  const transcription = (text: string) => ({ serverContent: { inputTranscription: { text } } });
  const completed = "conversation.item.input_audio_transcription.completed";
  const retrieve = (live: ReturnType<typeof openConfirmedSession>, id: string) =>
    live.client({ type: "conversation.item.retrieve", item_id: id }).client;
  const spoken = (id: string, transcript: string) => ({ id, role: "user", content: [{ transcript }] });

  test("of speech that the client commits gets the transcript, and can be retrieved", () => {
    const live = openConfirmedSession({ type: "realtime", audio: { input: { turn_detection: null } } });
    const commit = () => {
      live.client({ type: "input_audio_buffer.append", audio: "AAAA" });
      return live.client({ type: "input_audio_buffer.commit" }).client[0]?.item_id;
    };
    const first = commit();
    live.client({ type: "response.create" });
    expect(live.vendor(transcription("Hi")).client).toMatchObject([{ item_id: first }]);
    // The client speaks again while the vendor answers.
    const second = commit();
    const [done] = live.vendor({ serverContent: { turnComplete: true } }).client;
    expect(done).toMatchObject({ type: completed, item_id: first, transcript: "Hi" });
    live.client({ type: "response.create" });
    expect(live.vendor(transcription("there")).client).toMatchObject([{ item_id: second }]);
    expect(retrieve(live, first)).toMatchObject([{ type: "conversation.item.retrieved", item: spoken(first, "Hi") }]);
  });

  describe("of speech gets text that comes after the begin of the answer", () => {
    const openAnswer = () => {
      const live = openConfirmedSession({ type: "realtime" });
      const [added] = live.vendor(transcription("Hi")).client;
      live.vendor({ serverContent: { modelTurn: { parts: [{ text: "Hello" }] } } });
      const itemId: string = added?.item.id;
      const [late, ...others] = live.vendor(transcription(" there")).client;
      expect([late, others]).toMatchObject([{ item_id: itemId, delta: " there" }, []]);
      return { live, itemId };
    };
    const whole = { type: completed, transcript: "Hi there" };
    const next = (itemId: string) => ({
      type: "conversation.item.added",
      item: { id: expect.not.stringMatching(itemId) },
    });

    test("until the answer ends", () => {
      const { live, itemId } = openAnswer();
      const [first] = live.vendor({ serverContent: { turnComplete: true } }).client;
      expect(first).toMatchObject({ ...whole, item_id: itemId });
      expect(live.vendor(transcription("Bye")).client[0]).toMatchObject(next(itemId));
    });

    test("until the user interrupts the answer", () => {
      const { live, itemId } = openAnswer();
      const [first, started, added] = live.vendor({
        serverContent: { interrupted: true, inputTranscription: { text: "Stop" } },
      }).client;
      expect(first).toMatchObject({ ...whole, item_id: itemId });
      expect(started?.type).toBe("input_audio_buffer.speech_started");
      expect(started?.item_id).not.toBe(itemId);
      expect(added).toMatchObject({ type: "conversation.item.added", item: { id: started?.item_id } });
      // Clients of OpenAI cancel the response when the speech starts.
      live.client({ type: "response.cancel" });
      const end = live.vendor({ serverContent: { turnComplete: true } }).client;
      expect(types(end)).not.toContain(completed);
      expect(end.at(-1)?.response).toMatchObject({ status_details: { reason: "turn_detected" } });
      expect(live.vendor(transcription(" it")).client).toMatchObject([{ item_id: started?.item_id }]);
    });

    test("and speech that interrupts after a commit is the committed item", () => {
      const { live } = openAnswer();
      const [committed] = live.client({ type: "input_audio_buffer.commit" }).client;
      const events = live.vendor({ serverContent: { interrupted: true, inputTranscription: { text: "Stop" } } }).client;
      const started = events.find(({ type }) => type === "input_audio_buffer.speech_started");
      expect([started?.item_id, events.at(-1)?.item_id]).toEqual([committed?.item_id, committed?.item_id]);
    });

    test("and a commit during the answer is a new item", () => {
      const { live, itemId } = openAnswer();
      const [, added] = live.client({ type: "input_audio_buffer.commit" }).client;
      expect(added).toMatchObject(next(itemId));
    });
  });

  test("of speech whose end the vendor detects is announced with its transcript", () => {
    const live = openConfirmedSession({ type: "realtime" });
    const [added, itemDone, delta] = live.vendor(transcription("Hi")).client;
    expect(added).toMatchObject({ type: "conversation.item.added", item: { role: "user" } });
    expect([itemDone.item.id, delta.item_id]).toEqual([added.item.id, added.item.id]);
    // A commit of the same speech has no further item.
    expect(live.client({ type: "input_audio_buffer.commit" }).client).toMatchObject([{ item_id: added.item.id }]);
    live.vendor({ serverContent: { turnComplete: true } });
    expect(retrieve(live, added.item.id)).toMatchObject([{ item: spoken(added.item.id, "Hi") }]);
  });

  test("of the output can be retrieved; older and unknown items cannot", () => {
    const live = openConfirmedSession();
    const answer = () => {
      live.vendor({ serverContent: { modelTurn: { parts: [{ text: "Hello" }] } } });
      return live.vendor({ serverContent: { turnComplete: true } }).client.at(-1)?.response.output[0];
    };
    const oldest = answer();
    expect(retrieve(live, oldest.id)).toMatchObject([{ type: "conversation.item.retrieved", item: oldest }]);
    for (let count = 0; count < 32; count += 1) answer();
    for (const id of [oldest.id, "item_unknown"])
      expect(retrieve(live, id)).toMatchObject([{ type: "error", error: { param: "item_id" } }]);
  });
});

describe("pending input has one limit for all its forms", () => {
  const much = "A".repeat(12 * 1024 * 1024);
  const append = { type: "input_audio_buffer.append", audio: much };
  const commit = { type: "input_audio_buffer.commit" };
  const manual = { type: "realtime", audio: { input: { turn_detection: null } } };
  const errorParams = (events: readonly any[]) =>
    events.flatMap(({ error }) => (error === undefined ? [] : [error.param]));

  test.each([
    { what: "samples", events: [append, append, append], param: "audio" },
    { what: "turns", events: [append, commit, append, commit, append], param: "audio" },
    { what: "items", events: [userMessage(much), userMessage(much), userMessage(much)], param: "item" },
    { what: "items and samples", events: [userMessage(much), append, userMessage(much)], param: "item" },
  ])("$what", ({ events, param }) => {
    const live = openConfirmedSession(manual);
    expect(events.map((event) => errorParams(live.client(event).client))).toEqual(
      events.map((_, at) => (at === events.length - 1 ? [param] : [])),
    );
    // A cleared buffer and a requested response free space in the queue.
    live.client({ type: "input_audio_buffer.clear" });
    live.client({ type: "response.create" });
    live.vendor({ serverContent: { turnComplete: true } });
    expect(errorParams(live.client(userMessage(much)).client)).toEqual([]);
  });

  test("input that waits for the vendor's session to start", () => {
    const live = openSession();
    live.client({ type: "session.update", session: { type: "realtime" } });
    const codes = [append, append, append].map((event) => live.client(event).client.map(({ error }) => error.code));
    expect(codes).toEqual([[], [], ["server_overloaded"]]);
    expect(live.vendor({ setupComplete: {} }).vendor).toHaveLength(2);
  });
});

test("output tokens are counted under either name", () => {
  const usageOf = (usage: object) => responseUsage({ promptTokenCount: 5, thoughtsTokenCount: 3, ...usage });
  const audio = [{ modality: "AUDIO", tokenCount: 12 }];
  const usage = { input_tokens: 5, output_tokens: 18, output_token_details: { audio_tokens: 12, text_tokens: 6 } };
  expect(usageOf({ responseTokenCount: 15, responseTokensDetails: audio })).toMatchObject(usage);
  expect(usageOf({ candidatesTokenCount: 15, candidatesTokensDetails: audio })).toMatchObject(usage);
});

test("after a disconnect, the session waits for the answer to a turn that the client ended", () => {
  const live = openConfirmedSession({ type: "realtime" });
  live.client({ type: "input_audio_buffer.append", audio: "AAAA" });
  live.client({ type: "input_audio_buffer.commit" });
  expect(live.bridge.state.isPending).toBe(false);
  live.bridge.stop();
  expect(live.bridge.state.isPending).toBe(true);
  live.vendor({ serverContent: { inputTranscription: { text: "Hi" } } });
  expect(live.bridge.state.isPending).toBe(true);
  live.vendor({ serverContent: { modelTurn: { parts: [{ text: "Hello" }] }, turnComplete: true }, usageMetadata });
  expect(live.bridge.state.isPending).toBe(false);
});

test.each<[object, string]>([
  [{ type: "response.create", response: { instructions: "Sing." } }, "response.instructions"],
  [{ type: "response.create", response: { conversation: "none" } }, "response.conversation"],
  [{ type: "conversation.item.delete", item_id: "i" }, "type"],
  [
    {
      type: "conversation.item.create",
      item: { type: "message", role: "user", content: [{ type: "input_image", image_url: "https://a.example/b" }] },
    },
    "item.content[0].type",
  ],
  [{ event: 1 }, "type"],
])("a part that the format does not support is refused by name: %j", (event, param) => {
  const { client, vendor } = openConfirmedSession().client(event);
  expect(client).toMatchObject([{ type: "error", error: { param } }]);
  expect(vendor).toEqual([]);
});
