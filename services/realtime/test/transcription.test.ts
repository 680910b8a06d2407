import { afterAll, beforeAll, expect, test } from "vitest";
import type { Area } from "../../../libs/relay/test/area.ts";
import {
  channel,
  keys,
  limits,
  openSession,
  price,
  startSessions,
  usageEvents,
  closedVendorSession,
} from "./start-sessions.ts";
import type { TestSession } from "./session-client.ts";

/** A key that is limited to some models. */
const apart = "sk-apart-0123456789abcdef";

/** Transcription models with different prices. */
const config = {
  limits,
  models: {
    chat: { kind: "chat", price: { input: 1 } },
    live: { kind: "realtime", price },
    "whisper-1": { kind: "transcription", price: { second: 0.0001 } },
    "writes-well": { kind: "transcription", price: { inputAudio: 6, output: 10 } },
    "writes-for-nothing": { kind: "transcription" },
    "writes-dearly": { kind: "transcription", price: { second: 1 } },
    "writes-by-turn": { kind: "transcription", price: { request: 0.2 } },
  },
  channels: [
    channel("voice", {
      live: "live",
      "whisper-1": "whisper-1",
      "writes-well": "gpt-4o-transcribe",
      "writes-for-nothing": "whisper-free",
      "writes-dearly": "whisper-dear",
      "writes-by-turn": "whisper-turns",
    }),
  ],
  accounts: {
    apart: {
      balance: "1.00",
      tokens: [{ key: apart, group: "default", models: ["live", "whisper-1", "writes-by-turn", "chat"] }],
    },
  },
};

let area: Area;
beforeAll(async () => {
  area = await startSessions(config);
});
afterAll(() => area?.[Symbol.asyncDispose]());

const updateTo = (transcription: object | null) => ({
  type: "session.update",
  event_id: "mine",
  session: { type: "realtime", audio: { input: { turn_detection: null, transcription } } },
});

/** Sends two seconds of speech as one turn. */
function speak(session: TestSession): void {
  session.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(96_000, 1).toString("base64") });
  session.send({ type: "input_audio_buffer.commit" });
}

/** Transcribes two seconds of speech in a new session, and closes it. Returns the session's settings. */
async function transcribe(transcription: object, key?: string): Promise<any> {
  const session = await openSession(area, { model: "live", ...(key === undefined ? {} : { key }) });
  session.send(updateTo(transcription));
  const { session: settings } = await session.next("session.updated");
  speak(session);
  await session.next("conversation.item.input_audio_transcription.completed");
  session.socket.close();
  await session.closed;
  return settings;
}

test.each([
  { model: "whisper-1", upstream: "whisper-1", units: { requests: 1, seconds: 2 }, cost: 200_000 },
  {
    model: "writes-well",
    upstream: "gpt-4o-transcribe",
    // "2000 ms of speech" has five tokens.
    units: { requests: 1, inputAudioTokens: 20, outputTokens: 5 },
    cost: 20 * 6_000 + 5 * 10_000,
  },
])("transcription by $model is a call of that model, at its price", async ({ model, upstream, units, cost }) => {
  const before = (await area.account("demo")).spentNanos;
  const settings = await transcribe({ model });
  // The client receives the name that it uses.
  expect(settings.audio.input.transcription).toEqual({ model });
  const [stored] = await usageEvents(area, model, 1);
  expect(stored).toMatchObject({
    upstreamModel: upstream,
    channelId: "voice",
    area: "realtime",
    status: 101,
    outcome: "completed",
    estimated: false,
    units,
    costNanos: String(cost),
  });
  expect(stored?.unpriced).toBeUndefined();
  await area.settled("demo");
  expect((await area.account("demo")).spentNanos - before).toBe(BigInt(cost));
});

test("without a price it costs nothing, which the event reports", async () => {
  await transcribe({ model: "writes-for-nothing" });
  const [stored] = await usageEvents(area, "writes-for-nothing", 1);
  expect(stored).toMatchObject({ units: { seconds: 2 }, costNanos: "0", unpriced: ["seconds"] });
});

test("transcription by a model that the client does not name is charged with the session", async () => {
  // The vendor chooses a transcription model that it does not report.
  await transcribe({ language: "en" });
  const [stored] = await usageEvents(area, "live", 1);
  expect(stored?.units).toEqual({ requests: 1, inputAudioTokens: 20, outputTokens: 5 });
  expect(stored?.costNanos).toBe(String(20 * 32_000 + 5 * 16_000));
});

test.each([
  { name: "that does not exist", model: "absent", code: "model_not_found" },
  { name: "for another purpose", model: "chat", code: "model_not_found" },
  { name: "that the key may not use", model: "writes-well", code: "model_not_allowed" },
])("a model $name is refused by an error event, and the rest of the update is applied", async ({ model, code }) => {
  const session = await openSession(area, { model: "live", key: apart });
  session.send(updateTo({ model }));
  expect((await session.next("error")).error).toMatchObject({
    code,
    param: "session.audio.input.transcription.model",
    event_id: "mine",
  });
  await session.next("session.updated");
  session.send(updateTo({ model: "whisper-1" }));
  await session.next("session.updated");
  session.socket.close();
  const vendorSession = await closedVendorSession(area);
  const updates = vendorSession.messages?.filter((message) => message.includes("session.update")) ?? [];
  expect(updates.map((message) => message.includes('"transcription"'))).toEqual([false, true]);
});

test("a turn is transcribed by the model that was set at its time, and charged after its client has disconnected", async () => {
  const before = (await usageEvents(area, "whisper-1", 1)).length;
  const session = await openSession(area, { model: "live" });
  session.send(updateTo({ model: "whisper-1" }));
  await session.next("session.updated");
  speak(session);
  await session.next("input_audio_buffer.committed");
  session.send(updateTo({ model: "writes-for-nothing" }));
  await session.next("session.updated");
  session.socket.close();
  const events = await usageEvents(area, "whisper-1", before + 1);
  expect(events.at(-1)).toMatchObject({ units: { seconds: 2 }, costNanos: "200000" });
  await area.settled("demo");
});

test("no money is held for turns that the vendor refuses to commit, because they are empty", async () => {
  const session = await openSession(area, { model: "live", key: apart });
  session.send(updateTo({ model: "writes-by-turn" }));
  await session.next("session.updated");
  for (let at = 0; at < 8; at++) {
    session.send({ type: "input_audio_buffer.commit" });
    expect((await session.next("error")).error).toMatchObject({ code: "input_audio_buffer_commit_empty" });
  }
  speak(session);
  await session.next("conversation.item.input_audio_transcription.completed");
  session.socket.close();
  await session.closed;
});

test("speech whose transcription the account cannot pay for ends the session before it is sent", async () => {
  const before = await area.account("poor");
  const session = await openSession(area, { model: "live", key: keys.poor });
  session.send(updateTo({ model: "writes-dearly" }));
  await session.next("session.updated");
  speak(session);
  expect((await session.next("error")).error).toMatchObject({ code: "insufficient_quota" });
  expect(await session.closed).toEqual({ code: 1008, reason: "insufficient_quota" });
  const vendorSession = await closedVendorSession(area);
  expect(vendorSession.messages?.filter((message) => message.includes("input_audio_buffer"))).toEqual([]);
  await area.settled("poor");
  expect(await area.account("poor")).toMatchObject({ balanceNanos: before.balanceNanos });
});
