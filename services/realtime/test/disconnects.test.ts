import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { openSlowConnection, type SlowConnection } from "./slow-connection.ts";
import type { Area } from "../../../libs/relay/test/area.ts";
import { channel, geminiChannel, openSession, price, startSessions, textSession } from "./start-sessions.ts";
import { userMessage, simulated, textOnly, type TestSession } from "./session-client.ts";

/** Delay of the vendor's data in ms, so that a client leaves before it receives an answer. */
const wayMs = 150;

let far: SlowConnection;
let area: Area;
beforeAll(async () => {
  far = await openSlowConnection(wayMs);
  area = await startSessions({
    models: {
      live: { kind: "realtime", price },
      gem: { kind: "realtime", price },
      "whisper-1": { kind: "transcription", price: { second: 0.0001 } },
    },
    channels: [
      channel("voice", ["live", "whisper-1"], { baseUrl: `${far.url}/at/voice/openai/v1` }),
      geminiChannel("gem", ["gem"], { baseUrl: `${far.url}/at/gem/gemini` }),
    ],
    limits: { realtime: { slice: { audioSeconds: 1, textTokens: 100 } } },
  });
  far.connectTo(area.simulator.url);
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await far?.[Symbol.asyncDispose]();
});

/** Returns the usage events that an action causes, once there are `count` of them. */
async function charged(count: number, doing: () => Promise<void>) {
  const before = (await area.events()).length;
  await doing();
  await until(`${count} events`, async () => (await area.events()).length >= before + count);
  await area.settled("demo");
  const found = (await area.events()).slice(before);
  expect(found).toHaveLength(count);
  return found;
}

const settings = (input: object) => ({
  type: "session.update",
  session: { type: "realtime", output_modalities: ["text"], audio: { input } },
});
const speech = (bytes: number, value = 1) => ({
  type: "input_audio_buffer.append",
  audio: Buffer.alloc(bytes, value).toString("base64"),
});
const commit = { type: "input_audio_buffer.commit" };
const long = { chunks: 500, chunkDelayMs: 10, bodyBytes: 4_000 };

/** Sends events, and closes the connection before they can be answered. */
async function disconnectAfter(session: TestSession, ...last: readonly object[]): Promise<void> {
  for (const event of last) session.send(event);
  session.socket.close();
  await session.closed;
}

test.each([
  { name: "that the client named", transcription: { model: "whisper-1" }, model: "whisper-1", units: { seconds: 2 } },
  { name: "that the vendor chose", transcription: {}, model: "live", units: { inputAudioTokens: 20 } },
])(
  "committed speech is charged after the client disconnects: a transcriber $name",
  async ({ transcription, model, units }) => {
    const [event] = await charged(1, async () => {
      const session = await openSession(area, { model: "live" });
      await disconnectAfter(session, settings({ turn_detection: null, transcription }), speech(96_000), commit);
    });
    expect(event).toMatchObject({ model, outcome: "completed", estimated: false, units });
  },
);

test.each(["live", "gem"])(
  "a requested response is ended after the client disconnects, and charged by the vendor's usage: %s",
  async (model) => {
    const [event] = await charged(1, async () => {
      const session = await textSession(area, model);
      await disconnectAfter(session, userMessage(simulated(long)), { type: "response.create" });
    });
    expect(event).toMatchObject({ model, outcome: "cancelled", estimated: false });
    expect(event?.units.inputTokens).toBeGreaterThan(0);
    expect(event?.units.outputTokens ?? 0).toBeLessThan(500);
  },
);

test("every open response is ended, including those outside the conversation", async () => {
  const apart = { conversation: "none", input: [userMessage(simulated(long)).item] };
  const found = await charged(3, async () => {
    const session = await textSession(area);
    session.send(userMessage(simulated(long)));
    for (const response of [{}, apart, apart]) {
      session.send({ type: "response.create", response });
      await session.next("response.created");
    }
    await disconnectAfter(session);
  });
  for (const event of found) expect(event).toMatchObject({ outcome: "cancelled", estimated: false });
});

test("a response that the vendor starts after its client has disconnected is ended", async () => {
  await area.simulator.script("voice", [long]);
  const found = await charged(2, async () => {
    const session = await openSession(area, { model: "live" });
    session.send(settings({ turn_detection: { type: "server_vad" }, transcription: { model: "whisper-1" } }));
    await session.next("session.updated");
    await disconnectAfter(session, speech(48_000), speech(4_800, 0));
  });
  expect(found.map(({ model, outcome }) => ({ model, outcome }))).toContainEqual({
    model: "live",
    outcome: "cancelled",
  });
  expect(found.map(({ model }) => model)).toContain("whisper-1");
});

test("a session without open requests is closed immediately", async () => {
  const session = await openSession(area, { model: "live" });
  await session.next("session.created");
  // There is no audio to commit, and no response to cancel.
  await disconnectAfter(session, textOnly, commit, { type: "response.cancel" });
  await area.settled("demo");
  const closeCode = await until(
    "the vendor to receive the close",
    async () => (await area.simulator.requests("voice")).at(-1)?.closeCode,
  );
  expect(closeCode).toBe(1000);
});
