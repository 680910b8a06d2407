import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { channel, config as house } from "./house.ts";
import { openSession } from "./realtime-client.ts";
import { bounds, price, usageEvents } from "./realtime-house.ts";

const config = {
  ...house,
  models: {
    ...house.models,
    "live-heard": { kind: "realtime", price },
  },
  channels: [...house.channels, channel("voice", ["live-heard"])],
};

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ config, envOf: bounds });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

test("the client's own words, written down by the vendor, are a call of their own: seconds or tokens", async () => {
  const audio = { type: "input_audio_buffer.append", audio: Buffer.alloc(96_000, 1).toString("base64") };
  const sums: string[] = [];
  for (const model of ["whisper-1", "gpt-4o-transcribe"]) {
    const session = await openSession(suite, { model: "live-heard" });
    const input = { turn_detection: null, transcription: { model } };
    session.send({ type: "session.update", session: { type: "realtime", audio: { input } } });
    session.send(audio);
    session.send({ type: "input_audio_buffer.commit" });
    await session.next("conversation.item.input_audio_transcription.completed");
    session.socket.close();
    await session.closed;
    const events = await usageEvents(suite, "live-heard", sums.length + 1);
    sums.push(`${JSON.stringify(events.at(-1)?.event.units)} ${events.at(-1)?.event.costNanos}`);
  }
  expect(sums).toEqual([
    '{"requests":1,"seconds":2} 200000',
    // "2000 ms of speech" are five tokens.
    '{"requests":1,"inputAudioTokens":20,"outputTokens":5} 720000',
  ]);
});
