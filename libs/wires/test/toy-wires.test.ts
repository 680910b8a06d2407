import { expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { atOnce } from "../src/json/scan.ts";
import { isRecord, type JsonRecord } from "../src/json/fields.ts";
import { wires as imageWires, readImageBody, writeImages } from "../src/images/index.ts";
import type { ImagesVendor, ImagesAnswer } from "../src/images/index.ts";
import type { WholeVendor } from "../src/kind/index.ts";
import { wires as moderationWires } from "../src/moderation/index.ts";
import type { ModerationAnswer, ModerationRequest } from "../src/moderation/hub/index.ts";
import { wires as rankingWires } from "../src/ranking/index.ts";
import type { RankingAnswer, RankingRequest } from "../src/ranking/hub/index.ts";
import { bridgeBetween, eventMessage, vendorsTranscribers, wires as realtimeWires } from "../src/realtime/index.ts";
import { wires as speechWires, type SpeechVendor } from "../src/speech/index.ts";
import { wires as transcriptWires, type TranscriptsVendor } from "../src/transcripts/index.ts";
import { wires as vectorWires, type VectorsVendor } from "../src/vectors/index.ts";
import { wires as videoWires, type VideoVendor } from "../src/video/index.ts";
import { vendorWire } from "../src/wire.ts";

/*
 * One more wire of each kind is one object and one line of the registry of its kind: a client's request reaches its
 * vendor in that wire, and the answer comes back in the client's.
 */
const model = "theirs";
const usage = { inputTokens: 5 };
const context = { model: "mine", answerId: "1", inputTokens: 9 };

/** The line in the registry. The registries are read-only to the type checker alone. */
function register(wires: object, vendor: object): void {
  Object.assign(wires, { toy: { name: "toy", vendor } });
}

const usageIn = ({ spent }: JsonRecord) => (typeof spent === "number" ? { inputTokens: spent } : undefined);
const listIn = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  throw new Failure("upstream_error", "The vendor's answer has no list.");
};

test("vectors", () => {
  register(vectorWires, {
    maxInputs: () => 7,
    render: ({ inputs }, target) => ({ body: { who: target.model, n: inputs.length }, dropped: [] }),
    parse: ({ points }) => ({ vectors: listIn(points).map((each) => ({ floats: [Number(each)] })) }),
    usage: usageIn,
  } satisfies VectorsVendor);
  const { client } = vectorWires.embeddings;
  const { vendor } = vendorWire<VectorsVendor>(vectorWires, "toy");
  const { request } = client.read({ model: "mine", input: ["a", "b"] }, {});
  expect(vendor.render(request, { model }).body).toEqual({ who: model, n: 2 });
  expect(vendor.usage({ spent: 5 }, {})).toEqual(usage);
  expect(client.render({ ...vendor.parse({ points: [1, 2] }, {}), usage }, { ...context, request })).toMatchObject({
    data: [{ embedding: [1] }, { embedding: [2] }],
    usage: { prompt_tokens: 5 },
  });
});

test("ranking", () => {
  register(rankingWires, {
    render: ({ query, documents }) => ({ body: { q: query, of: documents }, dropped: [] }),
    parse: ({ order }) => ({
      id: "",
      results: listIn(order).map((index, at) => ({ index: Number(index), score: 1 / (at + 1) })),
    }),
    usage: usageIn,
  } satisfies WholeVendor<RankingRequest, RankingAnswer>);
  const { client } = rankingWires["jina-rerank"];
  const { vendor } = vendorWire<WholeVendor<RankingRequest, RankingAnswer>>(rankingWires, "toy");
  const { request } = client.read({ model: "mine", query: "q", documents: ["a", "b"] });
  expect(vendor.render(request, { model }).body).toEqual({ q: "q", of: ["a", "b"] });
  expect(client.render(vendor.parse({ order: [1, 0] }, {}), { ...context, request })).toMatchObject({
    results: [{ index: 1 }, { index: 0 }],
  });
});

test("moderation", () => {
  register(moderationWires, {
    render: ({ items }) => ({ body: { n: items.length }, dropped: [] }),
    parse: ({ bad }) => ({
      id: "",
      results: listIn(bad).map((flagged) => ({ flagged: flagged === true, categories: {}, scores: {} })),
    }),
    usage: usageIn,
  } satisfies WholeVendor<ModerationRequest, ModerationAnswer>);
  const { client } = moderationWires.moderations;
  const { vendor } = vendorWire<WholeVendor<ModerationRequest, ModerationAnswer>>(moderationWires, "toy");
  const { request } = client.read({ input: ["a", "b"] });
  expect(vendor.render(request, { model }).body).toEqual({ n: 2 });
  expect(client.render(vendor.parse({ bad: [true, false] }, {}), { ...context, request })).toMatchObject({
    results: [{ flagged: true }, { flagged: false }],
  });
});

test("images", () => {
  register(imageWires, {
    render: ({ prompt }) => ({ body: { draw: prompt }, dropped: [] }),
    parse: ({ at }): ImagesAnswer => ({ images: [{ url: String(at) }] }),
  } satisfies ImagesVendor);
  const { vendor } = vendorWire<ImagesVendor>(imageWires, "toy");
  const { request } = readImageBody({ model: "mine", prompt: "a fox" });
  const sent = writeImages(vendor.render(request, { model }));
  expect([atOnce(sent.body).toString(), sent.contentType]).toEqual(['{"draw":"a fox"}', "application/json"]);
  const made = vendor.parse({ at: "https://a.example/x.png" });
  if ("task" in made) throw new Error("a task was not begun");
  const { client } = imageWires[request.dialect];
  expect(client.render(made, { now: 3, act: "generation" })).toEqual({
    created: 3,
    data: [{ url: "https://a.example/x.png" }],
  });
});

test("speech", () => {
  register(speechWires, {
    render: ({ input }) => ({ body: { speak: input }, dropped: ["speed"], query: { fast: "1" } }),
    parse: ({ sound }) => ({ samples: Buffer.from(String(sound)), rate: 8_000, usage }),
  } satisfies SpeechVendor);
  const { client } = speechWires.speech;
  const { vendor } = vendorWire<SpeechVendor>(speechWires, "toy");
  const { request } = client.read({ model: "mine", input: "Hi", response_format: "pcm" });
  expect(vendor.render(request, { model, events: false }).body).toEqual({ speak: "Hi" });
  const answer = vendor.parse?.({ sound: "hm" });
  if (answer === undefined) throw new Error("the wire answers with JSON");
  expect(client.render(answer, request)).toEqual({ audio: Buffer.from("hm"), contentType: "audio/pcm" });
});

test("transcripts", () => {
  register(transcriptWires, {
    render: ({ language }) => ({ kind: "bytes", query: { tongue: language ?? "any" }, dropped: [] }),
    parse: ({ words }) => ({ text: String(words), segments: undefined }),
    usage: usageIn,
  } satisfies TranscriptsVendor);
  const { client } = transcriptWires.transcriptions;
  const { vendor } = vendorWire<TranscriptsVendor>(transcriptWires, "toy");
  const request = client.read([
    ["model", "mine"],
    ["language", "de"],
  ]);
  expect(vendor.render(request, { model })).toEqual({ kind: "bytes", query: { tongue: "de" }, dropped: [] });
  expect(client.render(vendor.parse({ words: "Hallo" }), { request, usage: undefined })).toEqual({ text: "Hallo" });
});

test("video", () => {
  register(videoWires, {
    defaultSeconds: 3,
    render: ({ prompt, seconds = 3 }) => ({ body: { film: prompt, seconds }, dropped: [], seconds, lines: 720 }),
    started: ({ ticket }) => String(ticket),
    parse: ({ film }) => (typeof film === "string" ? { kind: "finished", result: { url: film } } : { kind: "unknown" }),
  } satisfies VideoVendor);
  const { client } = videoWires["video-generations"];
  const { vendor } = vendorWire<VideoVendor>(videoWires, "toy");
  const { request } = client.read({ model: "mine", prompt: "a fox", duration: 4 });
  expect(vendor.render(request, { model })).toMatchObject({ body: { film: "a fox", seconds: 4 }, seconds: 4 });
  expect(vendor.started({ ticket: "t" })).toBe("t");
  expect(vendor.parse({ film: "https://a.example/x.mp4" })).toEqual({
    kind: "finished",
    result: { url: "https://a.example/x.mp4" },
  });
});

test("realtime", () => {
  const names = {
    model: "mine",
    upstreamModel: model,
    sessionId: "s",
    transcribers: vendorsTranscribers,
    vendorTools: false,
  };
  register(realtimeWires, { bridge: (each: typeof names) => realtimeWires.realtime.vendor.bridge(each) });
  const bridge = bridgeBetween("realtime", "toy", names);
  const event = eventMessage({ type: "input_audio_buffer.clear" });
  expect(bridge.fromClient(event).toVendor).toEqual([event]);
  expect(isRecord(bridge.state.input)).toBe(true);
});
