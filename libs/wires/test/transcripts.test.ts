import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure, type TranscriptsWire } from "@modelgate/contracts";
import {
  renderSrt,
  renderText,
  renderVtt,
  wires,
  type FormEntry,
  type TranscriptsRequest,
} from "../src/transcripts/index.ts";

const { client, vendor } = wires.transcriptions;
const { parse: parseAnswer, usage: readUsage } = vendor;
const { read: readEvent } = vendor.stream();
const { renderStream } = client;
const parseForm = (wire: TranscriptsWire, entries: readonly FormEntry[]) => wires[wire].client.read(entries);
const renderForm = (request: TranscriptsRequest, target: { readonly model: string }) => {
  const { kind, model, entries, dropped } = vendor.render(request, target);
  expect({ kind, model, dropped }).toEqual({ kind: "form", model: ["model", target.model], dropped: [] });
  return entries;
};
const model: FormEntry = ["model", "whisper-1"];
const read = (entries: readonly FormEntry[], wire: TranscriptsWire = "transcriptions") =>
  parseForm(wire, [model, ...entries]);
const failureOf = (run: () => unknown): Failure => {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("it did not fail");
};

describe("a form", () => {
  test("is read field by field, and unknown fields are passed on", () => {
    const entries: FormEntry[] = [
      ["language", "de"],
      ["prompt", ""],
      ["temperature", "0.25"],
      ["response_format", "verbose_json"],
      ["timestamp_granularities[]", "segment"],
      ["timestamp_granularities[1]", "word"],
      ["include[]", "logprobs"],
      ["chunking_strategy", "auto"],
      ["stream", "False"],
    ];
    expect(read(entries)).toEqual({
      wire: "transcriptions",
      model: "whisper-1",
      language: "de",
      prompt: "",
      temperature: 0.25,
      format: "verbose_json",
      granularities: ["word", "segment"],
      stream: false,
      additional: [
        ["include[]", "logprobs"],
        ["chunking_strategy", "auto"],
      ],
    });
  });

  test.each<[FormEntry[], string]>([
    [[["model", "other"]], "model"],
    [
      [
        ["language", "de"],
        ["language", "en"],
      ],
      "language",
    ],
    [[["temperature", "1.5"]], "temperature"],
    [[["temperature", ""]], "temperature"],
    [[["temperature", "warm"]], "temperature"],
    [[["response_format", "JSON"]], "response_format"],
    [[["stream", "1"]], "stream"],
    [
      [
        ["stream", "true"],
        ["response_format", "vtt"],
      ],
      "response_format",
    ],
    [[["timestamp_granularities", "word"]], "timestamp_granularities"],
    [
      [
        ["response_format", "verbose_json"],
        ["timestamp_granularities", "word,letter"],
      ],
      "timestamp_granularities",
    ],
  ])("%j names %s", (entries, param) => {
    expect(failureOf(() => read(entries))).toMatchObject({ code: "invalid_value", status: 400, param });
  });

  test("a translation has neither streaming nor speakers", () => {
    expect(failureOf(() => read([["stream", "true"]], "translations"))).toMatchObject({ param: "stream" });
    expect(failureOf(() => read([["response_format", "diarized_json"]], "translations"))).toMatchObject({
      param: "response_format",
    });
  });

  test("without a model is refused by name", () => {
    expect(failureOf(() => parseForm("transcriptions", []))).toMatchObject({
      code: "missing_required_parameter",
      param: "model",
    });
  });
});

describe("a vendor's request has", () => {
  test.each([
    ["json", "json"],
    ["text", "json"],
    ["srt", "verbose_json"],
    ["vtt", "verbose_json"],
    ["verbose_json", "verbose_json"],
    ["diarized_json", "diarized_json"],
  ])("%s: %s", (clientFormat, vendorFormat) => {
    expect(renderForm(read([["response_format", clientFormat]]), { model: "whisper-1" })).toEqual([
      ["response_format", vendorFormat],
    ]);
  });

  test.each(["srt", "vtt", "verbose_json"])("no %s if its model reports no timestamps", (format) => {
    const request = read([["response_format", format]]);
    expect(failureOf(() => renderForm(request, { model: "gpt-4o-transcribe" }))).toMatchObject({
      code: "unsupported_parameter",
      param: "response_format",
    });
  });

  test.each([
    [[], "segment"],
    [[["timestamp_granularities[]", "word"]], "word"],
  ] as const)("times in Mistral's form, and no language: %j", (granularities, requested) => {
    const request = read([["response_format", "verbose_json"], ["language", "de"], ...granularities]);
    const { entries, dropped } = vendor.render(request, { model: "voxtral-mini-transcribe-3" });
    expect(entries).toEqual([
      ["response_format", "verbose_json"],
      ["timestamp_granularities", requested],
    ]);
    expect(dropped).toEqual(["language"]);
  });

  test("every field of the client", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (language, prompt, temperature) => {
          const entries: FormEntry[] = [
            ["language", language],
            ["prompt", prompt],
            ["response_format", "json"],
            ["temperature", String(temperature)],
            ["include[]", prompt],
          ];
          expect(renderForm(read(entries), { model: "m" })).toEqual(entries);
        },
      ),
    );
  });
});

describe("a transcript", () => {
  const segments = [
    { id: 0, start: 0, end: 1.5, text: " Hello --> there" },
    { id: 1, start: 1.5, end: 3_661.0005, text: "two\n\nlines " },
  ];
  const transcript = parseAnswer({ text: "Hello there two lines", segments });

  test("is rendered as text, SubRip and WebVTT", () => {
    expect(renderText(transcript)).toBe("Hello there two lines\n");
    expect(renderSrt(transcript)).toBe(
      "1\n00:00:00,000 --> 00:00:01,500\nHello -> there\n\n2\n00:00:01,500 --> 01:01:01,001\ntwo lines\n\n",
    );
    expect(renderVtt(transcript)).toBe(
      "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello -> there\n\n00:00:01.500 --> 01:01:01.001\ntwo lines\n\n",
    );
  });

  test("each cue is one line for any text, and there are as many cues as segments", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: fc.string(), start: fc.nat(), end: fc.nat() }), { maxLength: 5 }),
        (segments) => {
          const lines = renderSrt({ text: "", segments }).split("\n");
          expect(lines.filter((line) => line.includes(" --> "))).toHaveLength(segments.length);
          expect(lines).toHaveLength(segments.length * 4 + 1);
        },
      ),
    );
  });

  test.each([{ text: "x" }, { text: "x", segments: [] }])(
    "without timestamps is not rendered as subtitles: %j",
    (body) => {
      expect(failureOf(() => renderSrt(parseAnswer(body)))).toMatchObject({ code: "upstream_error" });
    },
  );

  test("of silence has no subtitles", () => {
    expect(renderVtt(parseAnswer({ text: " ", segments: [] }))).toBe("WEBVTT\n\n");
  });

  test.each([{}, { text: 1 }, { text: "x", segments: [{ start: 0 }] }])("%j is not a transcript", (body) => {
    expect(failureOf(() => parseAnswer(body))).toMatchObject({ code: "upstream_error" });
  });
});

test.each([
  [{ usage: { type: "duration", seconds: 4 }, duration: 3.2 }, { seconds: 4 }],
  [{ duration: 3.2 }, { seconds: 3.2 }],
  [{ usage: { prompt_audio_seconds: 7, prompt_tokens: 4, completion_tokens: 9 } }, { seconds: 7 }],
  [
    {
      usage: {
        type: "tokens",
        input_tokens: 14,
        input_token_details: { text_tokens: 4, audio_tokens: 10 },
        output_tokens: 5,
      },
    },
    { inputTokens: 4, inputAudioTokens: 10, outputTokens: 5 },
  ],
  [{ usage: { input_tokens: 14, output_tokens: 5 } }, { inputTokens: 0, inputAudioTokens: 14, outputTokens: 5 }],
  [{ usage: {} }, undefined],
  [{ usage: { seconds: -1 } }, undefined],
  [{ usage: null, duration: "3.2" }, { seconds: 3.2 }],
  [{ usage: null, duration: "unknown" }, undefined],
])("%j used %j", (body, units) => {
  expect(readUsage(body)).toEqual(units);
});

describe("a stream", () => {
  test("has the same content as the complete answer", () => {
    const frames = renderStream({ text: "a\nb", usage: { type: "duration", seconds: 1 } })
      .split("\n\n")
      .filter((frame) => frame !== "")
      .map((frame) => readEvent({ data: frame.slice(6) }));
    expect(frames).toMatchObject([
      { kind: "delta", text: "a\nb" },
      { kind: "done", body: { text: "a\nb", usage: { seconds: 1 } } },
    ]);
  });

  test("of vLLM is rendered as OpenAI's", () => {
    const { read } = vendor.stream();
    const chunk = (choice: object) => JSON.stringify({ object: "transcription.chunk", model: "m", choices: [choice] });
    // vLLM transcribes a long file in clips, and each of them has a finish reason.
    const events = [
      chunk({ delta: { content: "Hello" }, finish_reason: "stop" }),
      chunk({ delta: { content: " there" } }),
      "[DONE]",
    ].map((data) => read({ data }));
    expect(events.map(({ kind }) => kind)).toEqual(["delta", "delta", "done"]);
    expect(events.map(({ rendered }) => rendered)).toEqual([
      'data: {"type":"transcript.text.delta","delta":"Hello"}\n\n',
      'data: {"type":"transcript.text.delta","delta":" there"}\n\n',
      'data: {"type":"transcript.text.done","text":"Hello there"}\n\n',
    ]);
  });

  test("of Mistral is rendered as OpenAI's", () => {
    const usage = { prompt_audio_seconds: 3, prompt_tokens: 4, completion_tokens: 2, total_tokens: 90 };
    const events = [
      { type: "transcription.language", audio_language: "en" },
      { type: "transcription.text.delta", text: "Hello" },
      { type: "transcription.segment", text: "Hello", start: 0, end: 1 },
      { type: "transcription.done", model: "voxtral-mini", text: "Hello", usage, language: null },
    ].map((event) => readEvent({ data: JSON.stringify(event) }));
    expect(events.map(({ kind }) => kind)).toEqual(["other", "delta", "other", "done"]);
    expect(events.map(({ rendered }) => rendered)).toEqual([
      "",
      'data: {"type":"transcript.text.delta","delta":"Hello"}\n\n',
      "",
      'data: {"type":"transcript.text.done","text":"Hello","usage":{"type":"duration","seconds":3}}\n\n',
    ]);
  });

  test.each([
    ['{"type":"error","error":{"message":"x"}}', "error"],
    ['{"type":"transcript.text.segment"}', "other"],
    ["[DONE]", "other"],
    ['{"object":"transcription.chunk","choices":[],"usage":{"prompt_tokens":3}}', "delta"],
    ['{"object":"transcription.chunk","type":"transcript.text.done","text":"x"}', "done"],
  ])("%s is %s", (data, kind) => {
    expect(readEvent({ data }).kind).toBe(kind);
  });

  test.each(["", "x", "[]", "3"])("%j is not an event", (data) => {
    expect(failureOf(() => readEvent({ data }))).toMatchObject({ code: "upstream_error" });
  });
});

const words = { content: { parts: [{ text: "la la la" }] } };
test.each<[object, object]>([
  [{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }, { code: "upstream_rejected" }],
  [{ candidates: [{ content: {}, finishReason: "RECITATION" }] }, { code: "upstream_rejected" }],
  [{ candidates: [{ ...words, finishReason: "MAX_TOKENS" }] }, { code: "upstream_rejected", vendorCode: "MAX_TOKENS" }],
  [{ candidates: [{ ...words, finishReason: "OTHER" }] }, { code: "upstream_error", vendorCode: "OTHER" }],
  [{ candidates: [{ finishReason: "STOP" }] }, { code: "upstream_error" }],
])("a transcript of Gemini that is blocked or not complete fails: %j", (answer, failure) => {
  expect(() => wires["content-transcripts"].vendor.parse({ ...answer })).toThrow(expect.objectContaining(failure));
});

test.each([{}, { finishReason: "STOP" }])("a complete transcript of Gemini is read: %j", (end) => {
  const { text } = wires["content-transcripts"].vendor.parse({ candidates: [{ ...words, ...end }] });
  expect(text).toBe("la la la");
});
