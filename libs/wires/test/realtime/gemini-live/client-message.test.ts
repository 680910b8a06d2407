import { describe, expect, test } from "vitest";
import { bridgeBetween, modelOfSetup, vendorsTranscribers } from "../../../src/realtime/index.ts";
import { liveMessagesOf } from "../../../src/realtime/gemini-live/client-message.ts";
import { Resampler } from "../../../src/realtime/gemini-live/client-sound.ts";

const messageOf = (value: unknown) => ({ data: Buffer.from(JSON.stringify(value)), binary: false });
const names = {
  model: "mine",
  upstreamModel: "theirs",
  sessionId: "s",
  transcribers: vendorsTranscribers,
  allowsVendorTools: false,
};

describe("a client's messages", () => {
  test.each([
    [{ client_content: { turns: [{ parts: [{ text: "Hi" }] }], turn_complete: true } }, ["content"]],
    [{ realtime_input: { audio_stream_end: true } }, ["stream-end"]],
    [{ realtimeInput: { mediaChunks: [{ mimeType: "audio/pcm", data: "AAAA" }], text: "Hi" } }, ["audio", "text"]],
    [{ toolResponse: { functionResponses: { id: "a", name: "b" } } }, ["results"]],
  ])("%j is read in either spelling", (message, kinds) => {
    expect(liveMessagesOf(messageOf(message)).map(({ kind }) => kind)).toEqual(kinds);
  });

  test.each([
    [{}, /exactly one/],
    [{ setup: {}, clientContent: {} }, /exactly one/],
    [{ other: {} }, /Unknown name/],
    [{ clientContent: { turnComplete: true, turn_complete: false } }, /more than once/],
    [{ realtimeInput: { smell: {} } }, /Unknown name "smell"/],
    [{ realtimeInput: { audio: { mimeType: "audio/pcm" } } }, /audio.data must be a string/],
    [[], /not a JSON object/],
  ])("%j is refused", (message, error) => {
    expect(() => liveMessagesOf(messageOf(message))).toThrow(error);
  });

  test.each([
    ["models/a-model", "a-model"],
    ["a-model", "a-model"],
    ["publishers/google/models/a-model", "a-model"],
    ["projects/p/locations/l/publishers/google/models/a-model", "a-model"],
    ["models/vendor/a-model", "vendor/a-model"],
  ])("%s names a model", (model, name) => {
    expect(modelOfSetup(messageOf({ setup: { model } }))).toBe(name);
  });
});

test("a vendor of the same format gets the setup with the vendor's name of the model", () => {
  const bridge = bridgeBetween("gemini-live", "gemini-live", names);
  const setup = { model: "models/mine", proactivity: { proactiveAudio: true }, sessionResumption: {} };
  const [event] = bridge.read?.(messageOf({ setup })) ?? [];
  expect(event?.type).toBe("session.update");
  expect(JSON.parse(event?.message.data.toString() ?? "")).toEqual({
    setup: { model: "models/theirs", proactivity: { proactiveAudio: true } },
  });
});

test("a setup becomes the settings of a session, and the vendor's own schema a JSON one", () => {
  const bridge = bridgeBetween("gemini-live", "realtime", names);
  const setup = {
    model: "models/mine",
    system_instruction: { parts: [{ text: "Be kind." }] },
    generation_config: { response_modalities: ["TEXT"], max_output_tokens: 50 },
    tools: [{ function_declarations: [{ name: "f", parameters: { type: "OBJECT", properties: {} } }] }],
    realtime_input_config: { automatic_activity_detection: { disabled: true } },
    labels: { team: "a" },
  };
  const [event] = bridge.read?.(messageOf({ setup })) ?? [];
  expect(JSON.parse(event?.message.data.toString() ?? "").session).toMatchObject({
    instructions: "Be kind.",
    output_modalities: ["text"],
    max_output_tokens: 50,
    audio: { input: { turn_detection: null } },
    tools: [{ type: "function", name: "f", parameters: { type: "object", properties: {} } }],
  });
});

test("a translation is refused, because the vendor would answer the speech", () => {
  const bridge = bridgeBetween("gemini-live", "realtime", names);
  const generation_config = { translation_config: { target_language_code: "fr" } };
  expect(() => bridge.read?.(messageOf({ setup: { model: "models/mine", generation_config } }))).toThrow(
    expect.objectContaining({
      code: "unsupported_parameter",
      param: "setup.generationConfig.translationConfig",
    }),
  );
});

test("a response is requested again when the running one has ended", () => {
  const bridge = bridgeBetween("gemini-live", "realtime", names);
  bridge.read?.(messageOf({ setup: { model: "models/mine" } }));
  bridge.fromVendor(messageOf({ type: "response.created", response: { id: "r" } }));
  expect(bridge.state.isResponding).toBe(true);
  const events = bridge.read?.(messageOf({ realtimeInput: { text: "Stop" } })) ?? [];
  expect(events.map(({ type }) => type)).toEqual(["response.cancel", "conversation.item.create", "response.create"]);
  bridge.fromVendor(messageOf({ type: "response.done", response: { id: "r", status: "cancelled" } }));
  expect(bridge.state.isResponding).toBe(false);
});

test("audio of another sample rate has the same length in seconds, for any chunks", () => {
  const samples = Buffer.alloc(32_000);
  for (let at = 0; at < 16_000; at++) samples.writeInt16LE(Math.round(8_000 * Math.sin(at / 20)), at * 2);
  const whole = Buffer.from(new Resampler().resample(samples.toString("base64"), 16_000), "base64");
  const parts = new Resampler();
  const pieces = [0, 3_001, 9_000, 9_001].map((from, at, all) =>
    Buffer.from(parts.resample(samples.subarray(from, all[at + 1]).toString("base64"), 16_000), "base64"),
  );
  expect(Math.abs(whole.length - 48_000)).toBeLessThan(8);
  expect(Buffer.concat(pieces).equals(whole)).toBe(true);
});
