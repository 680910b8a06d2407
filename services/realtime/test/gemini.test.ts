import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../libs/relay/test/area.ts";
import { geminiChannel, openSession, startSessions } from "./start-sessions.ts";
import { ask, userMessage, simulated, textOnly } from "./session-client.ts";

/** Sessions of a vendor with Gemini's live format, by clients with the realtime format. */
let area: Area;
beforeAll(async () => {
  area = await startSessions({
    models: {
      gem: { kind: "realtime", price: { input: 3, cachedInput: 1, output: 12, inputAudio: 20, outputAudio: 50 } },
    },
    channels: [geminiChannel("gem", { gem: "gemini-live-1" })],
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const eventsOf = async () => (await area.events()).filter(({ model }) => model === "gem");

const weather = { type: "function", name: "weather", parameters: { type: "object", properties: {} } };

test("text and function calls are billed per response, exact to the token", async () => {
  const session = await openSession(area, { model: "gem" });
  expect((await session.next("session.created")).session.model).toBe("gem");
  session.send({ ...textOnly, session: { ...textOnly.session, instructions: "Be kind.", tools: [weather] } });
  await session.next("session.updated");
  const hello = await ask(session, "Hello");
  expect(hello.response.output[0].content[0].text).toBe("You said: Hello");
  const called = await ask(session, "call weather {}");
  const [call] = called.response.output;
  expect(call).toMatchObject({ type: "function_call", name: "weather" });
  session.send({
    type: "conversation.item.create",
    item: { type: "function_call_output", call_id: call.call_id, output: "sunny" },
  });
  session.send({ type: "response.create" });
  const answered = await session.next("response.done");
  expect(answered.response.output[0].content[0].text).toBe("sunny");
  session.socket.close();
  await area.settled("demo");
  const events = await eventsOf();
  expect(events).toHaveLength(3);
  for (const [at, { response }] of [hello, called, answered].entries()) {
    const { input_token_details: input, output_tokens: output } = response.usage;
    const [cached, text] = [input.cached_tokens, input.text_tokens - input.cached_tokens];
    expect(events[at]).toMatchObject({ estimated: false, channelId: "gem", upstreamModel: "gemini-live-1" });
    expect(events[at]?.costNanos).toBe(String(text * 3_000 + cached * 1_000 + output * 12_000));
  }
  const [vendorRequest] = await area.simulator.requests("gem");
  expect(vendorRequest?.headers["x-goog-api-key"]).toBe("key-of-gem");
  expect(vendorRequest?.path).toBe(
    "/at/gem/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent",
  );
});

test("speech both ways: turns are detected, and speech during an answer interrupts it", async () => {
  const before = (await eventsOf()).length;
  const session = await openSession(area, { model: "gem" });
  session.send({ type: "session.update", session: { type: "realtime", audio: { input: { transcription: {} } } } });
  await session.next("session.updated");
  const sendAudio = (bytes: number, value: number) =>
    session.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(bytes, value).toString("base64") });
  sendAudio(48_000, 1);
  sendAudio(4_800, 0);
  expect((await session.next("conversation.item.input_audio_transcription.completed")).transcript).toBe(
    "1100 ms of speech",
  );
  const done = await session.next("response.done");
  expect(done.response.output[0].content[0].transcript).toBe("You said: 1100 ms of speech");
  expect(done.response.usage).toMatchObject({ input_token_details: { audio_tokens: 11 } });
  expect(done.response.usage.output_token_details.audio_tokens).toBeGreaterThan(0);

  session.send(userMessage(simulated({ chunks: 200, chunkDelayMs: 10, bodyBytes: 2_000 })));
  session.send({ type: "response.create" });
  await session.next("response.output_audio.delta");
  sendAudio(4_800, 1);
  await session.next("input_audio_buffer.speech_started");
  const cut = await session.next("response.done");
  expect(cut.response).toMatchObject({ status: "cancelled", status_details: { reason: "turn_detected" } });
  session.socket.close();
  await area.settled("demo");
  const [speech, interrupted] = (await eventsOf()).slice(before);
  expect(speech?.units).toMatchObject({ inputAudioTokens: 11 });
  expect(interrupted).toMatchObject({ outcome: "cancelled", estimated: false });
});

test("settings that the vendor refuses close the session with its reason", async () => {
  const session = await openSession(area, { model: "gem" });
  const bad = { type: "function", name: "no spaces please", parameters: {} };
  session.send({ ...textOnly, session: { ...textOnly.session, tools: [bad] } });
  expect((await session.next("error")).error).toMatchObject({ code: "upstream_error" });
  expect(await session.closed).toMatchObject({ code: 1007, reason: expect.stringContaining("name") });
});

test("a client that disconnects interrupts the vendor, whose usage is charged", async () => {
  const before = (await eventsOf()).length;
  const session = await openSession(area, { model: "gem" });
  session.send(textOnly);
  session.send(userMessage(simulated({ chunks: 500, chunkDelayMs: 10, bodyBytes: 4_000 })));
  session.send({ type: "response.create" });
  await session.next("response.output_text.delta");
  session.socket.terminate();
  await until("its event", async () => (await eventsOf()).length > before);
  expect((await eventsOf()).at(-1)).toMatchObject({ outcome: "cancelled", estimated: false });
  await area.settled("demo");
});
