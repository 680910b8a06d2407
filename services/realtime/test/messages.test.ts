import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../libs/relay/test/area.ts";
import {
  channel,
  limits,
  openSession,
  price,
  startSessions,
  usageEvents,
  closedVendorSession,
} from "./start-sessions.ts";
import { ask, userMessage, simulated, textOnly } from "./session-client.ts";

const config = {
  limits,
  models: {
    live: { kind: "realtime", price },
    "live-renamed": { kind: "realtime", price },
  },
  channels: [channel("voice", ["live"]), channel("voice-renamed", { "live-renamed": "vendor-live-preview" })],
};

let area: Area;
beforeAll(async () => {
  area = await startSessions(config);
});
afterAll(() => area?.[Symbol.asyncDispose]());

test("messages pass unchanged both ways, text and binary; only a renamed model is replaced", async () => {
  const session = await openSession(area, { model: "live-renamed", headers: { "openai-beta": "realtime=v1" } });
  expect((await session.next("session.created")).session.model).toBe("live-renamed");
  const odd = '{ "type" : "response.create", "event_id":"e\\u0031" , "response": {"metadata": {"n": 1.50} } }';
  session.send(
    '{"type":"session.update","session":{"type":"realtime", "model":"live-renamed","output_modalities":["text"]}}',
  );
  expect((await session.next("session.updated")).session.model).toBe("live-renamed");
  session.send(odd);
  await session.next("response.done");
  // Numbers in a form that JSON.stringify would not write.
  expect(session.texts.find((text) => text.includes("rate_limits.updated"))).toMatch(
    /"limit": 12345678901234567890, "remaining": 1\.0, "reset_seconds": 0\.10\}/,
  );
  // A vendor might be able to read a message that the gateway cannot read.
  session.socket.send(Buffer.from([0, 255, 128, 1]));
  expect((await session.next("error")).error).toMatchObject({ code: "invalid_json" });
  const bytes = Buffer.from('{ "type" : "conversation.unknown" }');
  session.socket.send(bytes);
  const [echo, binary] = await once(session.socket, "message");
  expect([echo, binary]).toEqual([bytes, true]);
  session.send({ type: "session.update", event_id: "mine", session: { type: "realtime", model: "another" } });
  expect((await session.next("error")).error).toMatchObject({
    code: "invalid_value",
    param: "session.model",
    event_id: "mine",
  });
  session.socket.close(4001, "my own reason");
  const vendorSession = await closedVendorSession(area, "voice-renamed");
  expect(vendorSession.closeCode).toBe(4001);
  expect(vendorSession.headers["openai-beta"]).toBe("realtime=v1");
  expect(vendorSession.messages).toEqual([
    '{"type":"session.update","session":{"type":"realtime", "model":"vendor-live-preview","output_modalities":["text"]}}',
    odd,
    bytes.toString("base64"),
  ]);
});

describe("messages of a client", () => {
  test("an invalid message is answered with an error, and the session continues", async () => {
    const session = await openSession(area, { model: "live" });
    session.send("not json");
    expect((await session.next("error")).error.code).toBe("invalid_json");
    session.send({ type: "nonsense", event_id: "e9" });
    expect((await session.next("error")).error.event_id).toBe("e9");
    session.send(textOnly);
    expect((await ask(session, "Still there?")).response.status).toBe("completed");
    session.socket.close();
  });

  test("fragments are put together", async () => {
    const session = await openSession(area, { model: "live" });
    session.send(textOnly);
    const text = JSON.stringify(userMessage("in pieces"));
    for (let at = 0; at < text.length; at++) session.socket.send(text.charAt(at), { fin: at === text.length - 1 });
    session.send({ type: "response.create" });
    const done = await session.next("response.done");
    expect(done.response.output[0].content[0].text).toBe("You said: in pieces");
    session.socket.close();
  });

  test("a message of 15 MB passes; one above the maximum closes with 1009, and costs nothing", async () => {
    const session = await openSession(area, { model: "live" });
    session.send({ type: "session.update", session: { type: "realtime", audio: { input: { turn_detection: null } } } });
    session.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(11 * 1024 * 1024, 1).toString("base64") });
    session.send({ type: "input_audio_buffer.commit" });
    await session.next("input_audio_buffer.committed");
    session.socket.send(Buffer.alloc(25 * 1024 * 1024));
    expect((await session.closed).code).toBe(1009);
    await area.settled("demo");
  });

  test("speech during an answer interrupts it; the output until then is charged", async () => {
    const session = await openSession(area, { model: "live" });
    session.send(userMessage('Talk {{simulate: {"chunks": 200, "chunkDelayMs": 10, "bodyBytes": 2000}}}'));
    session.send({ type: "response.create" });
    await session.next("response.output_audio.delta");
    session.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(4_800, 1).toString("base64") });
    await session.next("input_audio_buffer.speech_started");
    const done = await session.next("response.done");
    expect(done.response).toMatchObject({ status: "cancelled", status_details: { reason: "turn_detected" } });
    session.socket.close();
    const { output_token_details: output } = done.response.usage;
    const events = await until("its event", async () => {
      const found = await usageEvents(area, "live", 1);
      return found.some(({ outcome }) => outcome === "cancelled") && found;
    });
    expect(events.find(({ outcome }) => outcome === "cancelled")?.units.outputAudioTokens).toBe(output.audio_tokens);
  });
});

test("no usage beyond what a session could have used is billed", async () => {
  const session = await openSession(area, { model: "live" });
  session.send(textOnly);
  const usage = { input_tokens: 1e15, output_tokens: 1e15, total_tokens: 2e15 };
  await ask(session, simulated({ usage }));
  session.socket.close();
  const event = await until("its event", async () => (await area.events()).find(({ capped }) => capped !== undefined));
  expect(event.capped).toEqual(["inputTokens", "outputTokens"]);
  expect(BigInt(event.costNanos)).toBeLessThan(1_000_000_000n);
});
