import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure, tokensIn } from "@modelgate/contracts";
import { bridgeBetween } from "../../src/realtime/index.ts";
import { vendorsTranscribers, type BridgedMessages, type RealtimeBridge } from "../../src/realtime/hub/bridge.ts";
import { eventMessage, eventType } from "../../src/realtime/hub/message.ts";
import {
  measureEvent,
  inspectEvent,
  responseUnits,
  estimateUnits,
  transcriptionUnits,
} from "../../src/realtime/hub/inspect.ts";
import { isPlainAudio } from "../../src/realtime/openai/index.ts";

const text = (data: string) => ({ data: Buffer.from(data), binary: false });
const parsed = (messages: BridgedMessages["toClient"]): any[] =>
  messages.map(({ data }) => JSON.parse(data.toString()));

describe("usage in disjoint units", () => {
  const usage = (input: object, output: object, all: object) => ({
    input_token_details: input,
    output_token_details: output,
    ...all,
  });
  test.each<[string, unknown, object | undefined]>([
    [
      "text, audio and cached text separately",
      usage(
        {
          text_tokens: 119,
          audio_tokens: 13,
          cached_tokens: 64,
          cached_tokens_details: { text_tokens: 64, audio_tokens: 0 },
        },
        { text_tokens: 30, audio_tokens: 91 },
        { input_tokens: 132, output_tokens: 121 },
      ),
      {
        requests: 1,
        inputTokens: 55,
        cachedInputTokens: 64,
        inputAudioTokens: 13,
        outputTokens: 30,
        outputAudioTokens: 91,
      },
    ],
    [
      "cached audio is subtracted from audio and counted as cached",
      usage(
        {
          text_tokens: 10,
          audio_tokens: 90,
          cached_tokens: 60,
          cached_tokens_details: { text_tokens: 5, audio_tokens: 55 },
        },
        { text_tokens: 1, audio_tokens: 0 },
        { input_tokens: 100, output_tokens: 1 },
      ),
      { requests: 1, inputTokens: 5, cachedInputTokens: 60, inputAudioTokens: 35, outputTokens: 1 },
    ],
    [
      "cached tokens of an unknown kind count as text up to the text tokens",
      usage({ text_tokens: 10, audio_tokens: 90, cached_tokens: 30 }, {}, { input_tokens: 100, output_tokens: 0 }),
      { requests: 1, cachedInputTokens: 30, inputAudioTokens: 70 },
    ],
    [
      "pictures apart",
      usage({ text_tokens: 10, image_tokens: 40, audio_tokens: 0 }, {}, { input_tokens: 50, output_tokens: 0 }),
      { requests: 1, inputTokens: 10, inputImageTokens: 40 },
    ],
    [
      "cached pictures are subtracted from pictures",
      usage(
        {
          text_tokens: 10,
          image_tokens: 40,
          cached_tokens: 25,
          cached_tokens_details: { text_tokens: 5, image_tokens: 20, audio_tokens: 0 },
        },
        {},
        { input_tokens: 50, output_tokens: 0 },
      ),
      { requests: 1, inputTokens: 5, cachedInputTokens: 25, inputImageTokens: 20 },
    ],
    [
      "cached tokens of an unknown kind count as text before pictures",
      usage({ text_tokens: 10, image_tokens: 40, cached_tokens: 25 }, {}, { input_tokens: 50, output_tokens: 0 }),
      { requests: 1, cachedInputTokens: 25, inputImageTokens: 25 },
    ],
    [
      "counts that contradict each other never go below zero",
      usage({ audio_tokens: 500, cached_tokens: 900 }, { audio_tokens: 70 }, { input_tokens: 100, output_tokens: 50 }),
      { requests: 1, cachedInputTokens: 100, outputAudioTokens: 50 },
    ],
    ["none", null, undefined],
  ])("%s", (_, reported, units) => expect(responseUnits(reported)).toEqual(units));

  test("units add up to the reported tokens, and none is negative", () => {
    const count = fc.nat({ max: 10_000 });
    const report = fc.record({
      input_tokens: count,
      output_tokens: count,
      input_token_details: fc.record({
        audio_tokens: count,
        image_tokens: count,
        cached_tokens: count,
        cached_tokens_details: fc.record({ audio_tokens: count, image_tokens: count }, { requiredKeys: [] }),
      }),
      output_token_details: fc.record({ audio_tokens: count }),
    });
    fc.assert(
      fc.property(report, (reportedUsage) => {
        const units = responseUnits(reportedUsage) ?? {};
        expect(tokensIn(units)).toBe(reportedUsage.input_tokens + reportedUsage.output_tokens);
        expect(Object.values(units).every((amount) => amount >= 0)).toBe(true);
      }),
    );
  });

  test("a transcription is tokens or seconds", () => {
    expect(transcriptionUnits({ type: "duration", seconds: 1.5 })).toEqual({ requests: 1, seconds: 1.5 });
    const tokens = { type: "tokens", input_tokens: 12, output_tokens: 3, input_token_details: { audio_tokens: 12 } };
    expect(transcriptionUnits(tokens)).toEqual({ requests: 1, inputAudioTokens: 12, outputTokens: 3 });
    expect(transcriptionUnits(undefined)).toBeUndefined();
  });

  test("usage is estimated from the audio: ten tokens per second of input, twenty per second of output", () => {
    expect(estimateUnits({ audioIn: 48_000, audioOut: 48_000, textIn: 8, textOut: 9 })).toEqual({
      inputAudioTokens: 10,
      outputAudioTokens: 20,
      inputTokens: 2,
      outputTokens: 3,
    });
  });
});

describe("inspecting an event", () => {
  test.each<[string, string, string | undefined]>([
    ["type first", '{"type":"response.done","response":{}}', "response.done"],
    ["spaced", ' { "type" : "error" }', "error"],
    ["type last", '{"session":{"type":"realtime"},"type":"session.updated"}', "session.updated"],
    // A line break is not valid JSON, so the audio is not parsed.
    ["type after audio", '{"audio":"AA\nAA","type":"input_audio_buffer.append"}', "input_audio_buffer.append"],
    ["an escaped name", '{"\\u0074ype":"error"}', "error"],
    ["no type", '{"event":1}', undefined],
    ["no object", "[]", undefined],
    ["no JSON", "<html>", undefined],
  ])("%s", (_, data, type) => expect(eventType(Buffer.from(data))).toBe(type));

  const inspect = (event: object) => inspectEvent(eventMessage(event));
  test("the bridge reports events for billing and for counting", () => {
    expect(inspect({ type: "response.created", response: { id: "r1" } })).toEqual({ kind: "response-begun", id: "r1" });
    expect(inspect({ type: "response.done", response: { id: "r1", status: "cancelled", usage: null } })).toEqual({
      kind: "response-done",
      id: "r1",
      units: undefined,
      callStatus: "cancelled",
    });
    expect(inspect({ type: "response.output_text.delta", delta: "häuser" })).toEqual({
      kind: "delta",
      audioBytes: 0,
      textBytes: 7,
    });
    const audioDelta = inspect({ type: "response.output_audio.delta", delta: Buffer.alloc(48_000).toString("base64") });
    expect(audioDelta.kind === "delta" && Math.round(audioDelta.audioBytes / 1_000)).toBe(48);
    // Transcripts of the user's speech are not the model's output.
    expect(inspect({ type: "conversation.item.input_audio_transcription.delta", delta: "x" })).toEqual({
      kind: "other",
    });
    expect(inspectEvent({ data: Buffer.from('{"type":"response.done"}'), binary: true })).toEqual({ kind: "other" });
    const measured = measureEvent("input_audio_buffer.append", eventMessage({ audio: "A".repeat(64_233) }).data);
    expect(Math.round(measured.audioBytes / 1_000)).toBe(48);
  });

  const samples = Buffer.alloc(48_000).toString("base64");
  test.each<[string, object, { audioBytes: number; textBytes: number }]>([
    ["words", { type: "message", content: [{ text: "Häuser" }, { text: "b" }] }, { audioBytes: 0, textBytes: 8 }],
    ["samples", { type: "message", content: [{ audio: samples }] }, { audioBytes: 48_000, textBytes: 0 }],
    [
      "pictures of any size",
      { type: "message", content: [{ type: "input_image", image_url: `data:image/png;base64,${samples}` }] },
      { audioBytes: 0, textBytes: 4_000 },
    ],
    ["a call's result", { type: "function_call_output", output: "sunny" }, { audioBytes: 0, textBytes: 5 }],
    ["a call", { type: "function_call", arguments: "{}" }, { audioBytes: 0, textBytes: 2 }],
    ["nonsense", { type: "message", content: "words" }, { audioBytes: 0, textBytes: 0 }],
  ])("an item of %s is counted", (_, item, input) =>
    expect(measureEvent("conversation.item.create", eventMessage({ item }).data)).toEqual(input),
  );
});

describe("a vendor of the same format", () => {
  const bridge = (upstreamModel: string, allowsVendorTools = false) =>
    bridgeBetween("realtime", "realtime", {
      model: "live",
      upstreamModel,
      sessionId: "s",
      transcribers: vendorsTranscribers,
      allowsVendorTools,
    });
  const odd = text('{ "type":"session.update" , "session": {"model" : "live","n":1.50}, "x":12345678901234567890 }');

  test("passes every message unchanged if the names are the same", () => {
    const same = bridge("live");
    for (const message of [odd, text('{"type":"response.create"}'), { ...text('{"type":"any"}'), binary: true }]) {
      expect(same.fromClient(message).toVendor[0]).toBe(message);
      expect(same.fromVendor(message).toClient[0]).toBe(message);
    }
    const samples = { data: Buffer.from([1, 2]), binary: true };
    expect(same.fromVendor(samples).toClient[0]).toBe(samples);
  });

  test.each([
    ["samples", Buffer.from([1, 2])],
    ["an event in another encoding", Buffer.from('{"type":"response.create"}', "utf16le")],
    ["an event after a byte order mark", Buffer.from('\uFEFF{"type":"response.create"}')],
  ])("is not sent unknown events, which might have a meaning there: %s", (_, data) => {
    for (const binary of [true, false]) {
      const { toClient, toVendor } = bridge("live").fromClient({ data, binary });
      expect(toVendor).toEqual([]);
      expect(JSON.parse(String(toClient[0]?.data)).error.code).toBe("invalid_json");
    }
  });

  test("gets only the model's name replaced if it differs, in both directions", () => {
    const renamingBridge = bridge("vendor-live");
    expect(renamingBridge.fromClient(odd).toVendor[0]?.data.toString()).toBe(
      '{ "type":"session.update" , "session": {"model" : "vendor-live","n":1.50}, "x":12345678901234567890 }',
    );
    const created = text('{"type":"session.created","session":{"id":"s", "model":"vendor-live-2026"}}');
    expect(renamingBridge.fromVendor(created).toClient[0]?.data.toString()).toBe(
      '{"type":"session.created","session":{"id":"s", "model":"live"}}',
    );
    const delta = text('{"type":"response.output_text.delta","delta":"model"}');
    expect(renamingBridge.fromVendor(delta).toClient[0]).toBe(delta);
  });

  test.each([
    ["live", '{"type":"session.update","event_id":"e","session":{"model":"vendor-live"}}'],
    ["vendor-live", '{"type":"session.update","event_id":"e","session":{"model":"another"}}'],
  ])("answers an attempt to change the model (%s)", (upstream, data) => {
    const { toClient, toVendor } = bridge(upstream).fromClient(text(data));
    expect(toVendor).toEqual([]);
    expect(parsed(toClient)).toMatchObject([{ type: "error", error: { param: "session.model", event_id: "e" } }]);
  });

  test.each([
    ['{"type":"session.update","type":"response.create","session":{}}', "type"],
    ['{"type":"session.update","session":{},"session":{"model":"dear"}}', "session"],
    ['{"type":"input_audio_buffer.append","audio":"AA==","type":"session.update","session":{}}', "type"],
    ['{"type":"session.update","session":{"audio":{"input":{"transcription":{"model":"a","model":"b"}}}}}', "model"],
    ['{"type":"session.update","session":{"Audio":{"input":{}}}}', "audio"],
  ])("is not sent an event that parsers read differently: %s", (data, param) => {
    const { toClient, toVendor } = bridge("live").fromClient(text(data));
    expect(toVendor).toEqual([]);
    expect(parsed(toClient)).toMatchObject([{ type: "error", error: { code: "invalid_value", param } }]);
  });

  test.each([
    [
      '{"type":"session.update","session":{"tools":[{"type":"function","name":"f"},{"type":"mcp"}]}}',
      "session.tools[1]",
    ],
    ['{"type":"response.create","event_id":"e","response":{"tools":[{"type":"mcp"}]}}', "response.tools[0]"],
    ['{"type":"response.create","response":{"tools":[{"type":"web_search"}]}}', "response.tools[0]"],
  ])("gets no vendor-side tools without a price, unless they are allowed: %s", (data, param) => {
    const { toClient, toVendor } = bridge("live").fromClient(text(data));
    expect(toVendor).toEqual([]);
    expect(parsed(toClient)).toMatchObject([{ type: "error", error: { code: "unsupported_parameter", param } }]);
    expect(bridge("live", true).fromClient(text(data)).toVendor).toHaveLength(1);
  });

  test("reports garbage, and never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.boolean(), (data, binary) => {
        for (const wire of ["realtime", "gemini-live"] as const) {
          const each: RealtimeBridge = bridgeBetween("realtime", wire, {
            model: "a",
            upstreamModel: "b",
            sessionId: "s",
            transcribers: vendorsTranscribers,
            allowsVendorTools: false,
          });
          each.open();
          each.fromClient({ data: Buffer.from(data), binary });
          each.fromVendor({ data: Buffer.from(data), binary });
        }
      }),
    );
  });
});

test.each([
  ['{"type":"input_audio_buffer.append","audio":"AAAA"}', true],
  ['{"type":"input_audio_buffer.append","audio":""}', true],
  ['{"type": "input_audio_buffer.append", "audio": "AAAA"}', true],
  ['{"type":"input_audio_buffer.append","audio":"AAAA","event_id":"event_1"}', true],
  ['{"event_id":"event_1","type":"input_audio_buffer.append","audio":"AAAA"}', true],
  ['{"audio":"AAAA","type":"input_audio_buffer.append"}\n', true],
  ['{"type":"input_audio_buffer.append","audio":"AAAA","type":"session.update"}', false],
  ['{"type":"session.update","audio":"AAAA","type":"input_audio_buffer.append"}', false],
  ['{"type":"input_audio_buffer.append","audio":"AAAA","audio":"BBBB"}', false],
  ['{"type":"input_audio_buffer.append","audio":"AAAA","session":{}}', false],
  ['{"type":"input_audio_buffer.append","audio":"AAAA","event_id":["a"]}', false],
  ['{"type":"input_audio_buffer.append","audio":"AAAA","\\u0074ype":"session.update"}', false],
  ['{"type":"input_audio_buffer.append","audio":"AA\\"}', false],
  ['{"type":"input_audio_buffer.append","audio":"', false],
  ['{"type":"input_audio_buffer.append","audio":"}', false],
  ['{"type":"input_audio_buffer.commit"}', false],
])("%s contains only samples: %s", (data, plain) => expect(isPlainAudio(Buffer.from(data))).toBe(plain));

describe("the model that transcribes the client's speech", () => {
  /** Opens a session in which the model "fast" has the vendor's name "fast-1", and "usual" has "usual-1". */
  const openBridge = () =>
    bridgeBetween("realtime", "realtime", {
      model: "live",
      upstreamModel: "live",
      sessionId: "s",
      allowsVendorTools: false,
      transcribers: {
        toVendor(name) {
          if (name !== "fast") throw new Failure("model_not_found", "No such model.");
          return "fast-1";
        },
        toClient: (name) => (name === "usual-1" ? "usual" : name),
      },
    });
  const today = (model: unknown) => ({ audio: { input: { transcription: model && { model, language: "en" } } } });
  const older = (model: unknown) => ({ input_audio_transcription: model && { model, language: "en" } });

  test.each([
    { form: "today's form", session: today, path: "audio.input.transcription.model" },
    { form: "the older form", session: older, path: "input_audio_transcription.model" },
  ])("has the name of each side in $form", ({ session, path }) => {
    const bridge = openBridge();
    const updateResult = bridge.fromClient(eventMessage({ type: "session.update", session: session("fast") }));
    expect(parsed(updateResult.toVendor)).toEqual([{ type: "session.update", session: session("fast-1") }]);
    // The new transcriber is used only after the vendor has reported it.
    expect(bridge.state.transcriber).toBeUndefined();
    const reportTo = (model: unknown) =>
      parsed(bridge.fromVendor(eventMessage({ type: "session.updated", session: session(model) })).toClient)[0].session;
    expect(reportTo("fast-1")).toEqual(session("fast"));
    expect(bridge.state.transcriber).toEqual({ model: "fast" });
    expect(reportTo("usual-1")).toEqual(session("usual"));
    expect(bridge.state.transcriber).toEqual({ model: "usual" });
    expect(reportTo(null)).toEqual(session(null));
    expect(bridge.state.transcriber).toBeUndefined();
    // The other settings of the update are applied.
    const update = { type: "session.update", session: { instructions: "Be brief.", ...session("dear") } };
    const refused = bridge.fromClient(eventMessage(update));
    const [sent] = parsed(refused.toVendor);
    expect(sent.session.instructions).toBe("Be brief.");
    expect(JSON.stringify(sent)).not.toContain("transcription");
    expect(parsed(refused.toClient)[0].error).toMatchObject({ code: "model_not_found", param: `session.${path}` });
  });

  test.each([
    { what: "the requested one", requested: ["fast"], current: { model: "fast" } },
    { what: "the same after an update without a model", requested: ["fast", undefined], current: { model: "fast" } },
    { what: "an unnamed one if none is named", requested: [undefined], current: { model: undefined } },
    { what: "none after it was switched off", requested: ["fast", null], current: undefined },
    { what: "none if none was requested", requested: [], current: undefined },
  ])("is $what if the vendor does not name it", ({ requested, current }) => {
    const bridge = openBridge();
    for (const model of requested) {
      const transcription = model === null ? null : { language: "en", ...(model === undefined ? {} : { model }) };
      bridge.fromClient(eventMessage({ type: "session.update", session: { audio: { input: { transcription } } } }));
    }
    bridge.fromVendor(eventMessage({ type: "session.updated", session: { id: "s" } }));
    expect(bridge.state.transcriber).toEqual(current);
  });

  test("is unnamed if the vendor reports it without a name", () => {
    const bridge = openBridge();
    const session = { audio: { input: { transcription: { language: "en" } } } };
    bridge.fromVendor(eventMessage({ type: "session.updated", session }));
    expect(bridge.state.transcriber).toEqual({ model: undefined });
  });
});
