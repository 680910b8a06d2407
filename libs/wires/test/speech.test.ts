import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { countCharacters, wires } from "../src/speech/index.ts";

const { speech } = wires;

const clientBody = { model: "tts-1", input: "Hello", voice: "alloy" } as const;
const paramOf = (body: unknown): string | undefined => {
  try {
    speech.client.read(body);
  } catch (error) {
    if (error instanceof Failure) return error.param;
  }
  throw new Error("it did not fail");
};

describe("a request", () => {
  test("is unchanged after parsing and rendering", () => {
    const body = {
      ...clientBody,
      instructions: "Slowly.",
      response_format: "wav",
      speed: 0.5,
      stream_format: "sse",
      emotion: { joy: 1 },
    };
    const { request } = speech.client.read(body);
    expect(request).toMatchObject({ format: "wav", speed: 0.5, events: true, instructions: "Slowly." });
    expect(speech.vendor.render(request, { model: "tts-1", events: true })).toEqual({ body, dropped: [] });
  });

  test("is for MP3 as bytes by default", () => {
    const { request } = speech.client.read({ ...clientBody, voice: { id: "voice_1" } });
    expect(request).toMatchObject({ format: "mp3", events: false });
    expect(speech.vendor.render(request, { model: "vendor-name", events: false }).body).toEqual({
      ...clientBody,
      model: "vendor-name",
      voice: { id: "voice_1" },
      response_format: "mp3",
    });
  });

  test.each([
    [{ ...clientBody, input: " \n" }, "input"],
    [{ ...clientBody, input: 1 }, "input"],
    [{ model: "m" }, "input"],
    [{ input: "x" }, "model"],
    [{ ...clientBody, response_format: "ogg" }, "response_format"],
    [{ ...clientBody, speed: 0.2 }, "speed"],
    [{ ...clientBody, speed: "1" }, "speed"],
    [{ ...clientBody, stream_format: "bytes" }, "stream_format"],
    [{ ...clientBody, instructions: 3 }, "instructions"],
  ])("%j is invalid in %s", (body, param) => {
    expect(paramOf(body)).toBe(param);
  });
});

describe("a speed", () => {
  const render = (wire: "elevenlabs-speech" | "deepgram-speech", model: string, speed: number) => {
    const { request } = speech.client.read({ ...clientBody, speed });
    const { body, query, dropped } = wires[wire].vendor.render(request, { model });
    const settings = body["voice_settings"];
    return { sent: settings ?? query?.["speed"], dropped: dropped.filter((name) => name === "speed") };
  };

  test.each([
    ["elevenlabs-speech", "eleven_v3", 1.2, { speed: 1.2 }, []],
    ["elevenlabs-speech", "eleven_v3", 1.5, undefined, ["speed"]],
    ["deepgram-speech", "aura-2-thalia-en", 1.5, "1.5", []],
    ["deepgram-speech", "aura-2-thalia-en", 2, undefined, ["speed"]],
    ["deepgram-speech", "aura-2-thalia-en", 1, undefined, []],
    ["deepgram-speech", "aura-asteria-en", 1.5, undefined, ["speed"]],
  ] as const)("is sent over %s to %s if it accepts the value %d", (wire, model, speed, sent, dropped) => {
    expect(render(wire, model, speed)).toEqual({ sent, dropped });
  });
});

describe("speech of Gemini", () => {
  const render = (body: object) =>
    wires["content-speech"].vendor.render(speech.client.read({ ...clientBody, ...body }).request);

  test("is WAV if the client chooses no format, and the default MP3 is dropped", () => {
    expect(render({}).dropped).toContain("format");
    expect(render({ response_format: "wav" }).dropped).not.toContain("format");
  });

  test.each(["mp3", "opus", "aac", "flac"])("in %s is refused, so that another vendor is tried", (format) => {
    expect(() => render({ response_format: format })).toThrow(
      expect.objectContaining({ code: "unsupported_parameter", param: "format" }),
    );
  });
});

const audio = { content: { parts: [{ inlineData: { mimeType: "audio/L16;rate=24000", data: "AAA=" } }] } };
test.each<[object, object]>([
  [{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }, { code: "upstream_rejected" }],
  [{ candidates: [{ finishReason: "RECITATION" }] }, { code: "upstream_rejected", vendorCode: "RECITATION" }],
  [{ candidates: [{ ...audio, finishReason: "SAFETY" }] }, { code: "upstream_rejected", vendorCode: "SAFETY" }],
  [{ candidates: [{ ...audio, finishReason: "MAX_TOKENS" }] }, { code: "upstream_rejected", vendorCode: "MAX_TOKENS" }],
  [{ candidates: [{ ...audio, finishReason: "OTHER" }] }, { code: "upstream_error", vendorCode: "OTHER" }],
  [{ candidates: [{ finishReason: "STOP" }] }, { code: "upstream_error" }],
])("speech of Gemini that is blocked or not complete fails: %j", (answer, failure) => {
  expect(() => wires["content-speech"].vendor.parse({ ...answer })).toThrow(expect.objectContaining(failure));
});

test("characters are code points: an emoji counts once", () => {
  expect(countCharacters("Grüße 🎉")).toBe(7);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (left, right) => {
      expect(countCharacters(`${left} ${right}`)).toBe(countCharacters(left) + 1 + countCharacters(right));
    }),
  );
});

describe("events", () => {
  test("carry any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const frame = speech.client.stream().write({ kind: "audio", bytes: Buffer.from(bytes) });
        expect(speech.vendor.stream().read({ data: frame.slice(6) })).toEqual({
          kind: "audio",
          bytes: Buffer.from(bytes),
        });
      }),
    );
  });

  test("end with the usage, in tokens of text and of audio", () => {
    const frame = speech.client.stream().write({ kind: "done", usage: { inputTokens: 3, outputAudioTokens: 40 } });
    expect(JSON.parse(frame.slice(6))).toEqual({
      type: "speech.audio.done",
      usage: { input_tokens: 3, output_tokens: 40, total_tokens: 43 },
    });
    expect(speech.vendor.stream().read({ data: frame.slice(6) })).toEqual({
      kind: "done",
      usage: { inputTokens: 3, outputAudioTokens: 40 },
    });
  });

  test.each([
    ['{"type":"speech.audio.done"}', { kind: "done", usage: undefined }],
    ['{"type":"error","error":{"message":"x"}}', { kind: "error" }],
    ['{"type":"speech.audio.new"}', { kind: "other" }],
    ["[DONE]", { kind: "other" }],
  ])("%s", (data, event) => {
    expect(speech.vendor.stream().read({ data })).toEqual(event);
  });

  test.each(["", "x", "[]", '{"type":"speech.audio.delta"}'])("%j is not audio", (data) => {
    expect(() => speech.vendor.stream().read({ data })).toThrow(Failure);
  });
});
