import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";

const channel = (
  id: string,
  vendor: { readonly provider: string; readonly path: string },
  models: readonly string[],
) => ({
  id,
  provider: vendor.provider,
  baseUrl: `\${SIMULATOR_URL}/at/${id}${vendor.path}`,
  keys: ["key-of-it"],
  models,
});
const openai = { provider: "openai", path: "/openai/v1" };
const gemini = { provider: "gemini", path: "/gemini" };

/** Channels whose models have kinds that are not tested by the vendor's first wire. */
const config = {
  groups: { default: { models: ["*"] } },
  models: {
    live: { kind: "realtime" },
    gem: { kind: "realtime" },
    "gpt-live-1": { kind: "realtime" },
    vectors: { kind: "embedding" },
    voice: { kind: "speech" },
    film: { kind: "video" },
    "whisper-1": { kind: "transcription" },
    scribe_v2: { kind: "transcription" },
    "nova-3": { kind: "transcription" },
    "gpt-image-1": { kind: "image" },
  },
  channels: [
    channel("live", openai, ["live"]),
    channel("gem", gemini, ["gem"]),
    channel("gpt-live-1", openai, ["gpt-live-1"]),
    channel("vectors", openai, ["vectors"]),
    channel("voice", openai, ["voice"]),
    channel("film", openai, ["film"]),
    channel("whisper-1", openai, ["whisper-1"]),
    channel("scribe_v2", { provider: "elevenlabs", path: "/elevenlabs" }, ["scribe_v2"]),
    channel("nova-3", { provider: "deepgram", path: "/deepgram" }, ["nova-3"]),
    { ...channel("gpt-image-1", openai, ["gpt-image-1"]), wires: ["image-edits"] },
    ...["refused", "failing", "closing"].map((id) => channel(id, openai, ["live"])),
  ],
};

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ shape: "apart", config });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** Tests a channel with gatectl. */
async function tried(id: string): Promise<{ readonly status: number; readonly result: any }> {
  const { status, stdout } = await suite.gatectl("channel", "test", id, "--json");
  return { status, result: JSON.parse(stdout) };
}

test.each([
  { id: "live", path: "/realtime", answer: 101 },
  { id: "gem", path: "BidiGenerateContent", answer: 101 },
  { id: "gpt-live-1", path: "/live/sessions", answer: 101 },
  { id: "vectors", path: "/embeddings", answer: 200 },
  { id: "voice", path: "/audio/speech", answer: 200 },
  { id: "film", path: "/videos/0", answer: 404 },
  { id: "whisper-1", path: "/audio/transcriptions", answer: 200 },
  { id: "scribe_v2", path: "/speech-to-text", answer: 200 },
  { id: "nova-3", path: "/listen", answer: 200 },
  { id: "gpt-image-1", path: "/images/edits", answer: 200 },
])("a channel of $id models is tested with their endpoint: $path", async ({ id, path, answer }) => {
  expect(await tried(id)).toMatchObject({ status: 0, result: { channel: id, model: id, ok: true, status: answer } });
  const vendorRequests = await suite.simulator.requests(id);
  expect(vendorRequests.map((request) => request.path)).toEqual([expect.stringContaining(path)]);
});

test.each([
  { id: "refused", step: { status: 401 }, answer: 401, vendorMessage: /simulated|key/i },
  { id: "failing", step: { openWith: "error" }, answer: 101, vendorMessage: /"type":"error"/ },
  { id: "closing", step: { openWith: "close" }, answer: 101, vendorMessage: /^The vendor closed with \d+/ },
])(
  "a session that does not start is reported with the vendor's message ($id)",
  async ({ id, step, answer, vendorMessage }) => {
    await suite.simulator.script(id, [step]);
    const { status, result } = await tried(id);
    expect({ status, ok: result.ok, answer: result.status }).toEqual({ status: 1, ok: false, answer });
    expect(result.vendorMessage).toMatch(vendorMessage);
  },
);
