import { describe, expect, test } from "vitest";
import type { ClientEvent } from "@modelgate/wires/realtime";
import { EventQueue } from "../src/event-queue.ts";
import { SessionTraffic } from "../src/session-traffic.ts";
import { SpeechAhead } from "../src/speech-ahead.ts";
import { UntranscribedSpeech } from "../src/untranscribed-speech.ts";

const eventOf = (type: string, bytes = 10): ClientEvent => ({
  type,
  message: { data: Buffer.alloc(bytes), binary: false },
});

function queue() {
  const log: string[] = [];
  const state = { ready: 0 };
  const eventQueue = new EventQueue(
    { waitingResponses: 2, bufferedBytes: 1_000 },
    {
      countEvent: ({ type }) => void log.push(`counted ${type}`),
      maySend: ({ type }) => type !== "response.create" || state.ready > 0,
      deliver({ type }) {
        if (type === "response.create") state.ready--;
        log.push(`sent ${type}`);
        eventQueue.sendReady();
      },
      refuse: ({ type }, { code }) => void log.push(`refused ${type}: ${code}`),
      fullChanged: (isFull) => void log.push(isFull ? "full" : "not full"),
    },
  );
  const taken = (): string[] => log.splice(0);
  return { queue: eventQueue, state, taken };
}

describe("events of a client", () => {
  test("wait behind one without a hold, in their order, and are counted once", () => {
    const { queue: events, state, taken } = queue();
    for (const type of ["a", "response.create", "b"]) events.add(eventOf(type));
    expect(taken()).toEqual(["counted a", "sent a", "counted response.create"]);
    events.sendReady();
    expect(taken()).toEqual([]);
    state.ready = 1;
    events.sendReady();
    expect(taken()).toEqual(["sent response.create", "counted b", "sent b"]);
  });

  test("that end a response are sent first", () => {
    const { queue: events, taken } = queue();
    for (const type of ["response.create", "response.cancel"]) events.add(eventOf(type));
    expect(taken()).toEqual(["counted response.create", "sent response.cancel"]);
  });

  test("are refused if too many responses wait, and may be sent again later", () => {
    const { queue: events, state, taken } = queue();
    for (let at = 0; at < 3; at++) events.add(eventOf("response.create"));
    expect(taken()).toEqual(["counted response.create", "refused response.create: rate_limit_exceeded"]);
    state.ready = 2;
    events.sendReady();
    taken();
    events.add(eventOf("response.create"));
    expect(taken()).toEqual(["counted response.create"]);
  });

  test("pause their client above a number of bytes, until they are sent", () => {
    const { queue: events, state, taken } = queue();
    events.add(eventOf("response.create"));
    for (let at = 0; at < 3; at++) events.add(eventOf("a", 40));
    expect(taken()).toEqual(["counted response.create", "full"]);
    state.ready = 1;
    events.sendReady();
    expect(taken().at(-1)).toBe("not full");
  });

  test("pause their client even if they are empty", () => {
    const { queue: events, taken } = queue();
    events.add(eventOf("response.create"));
    for (let at = 0; at < 10; at++) events.add(eventOf("a", 0));
    expect(taken()).toEqual(["counted response.create", "full"]);
  });
});

describe("speech that may be transcribed", () => {
  const automatic = { detectsTurns: true, nowMs: 0 };
  test("is that of turns and of the buffer, until it is transcribed or cleared", () => {
    const speech = new UntranscribedSpeech();
    speech.addAudio(3, automatic);
    speech.turnCommitted("one");
    speech.addAudio(2, automatic);
    speech.addItemAudio(4);
    expect([speech.seconds, speech.turns]).toEqual([9, 2]);
    speech.transcriptEnded("one");
    speech.responseEnded();
    expect([speech.seconds, speech.turns]).toEqual([2, 1]);
    speech.bufferCleared();
    expect([speech.seconds, speech.turns]).toEqual([0, 0]);
  });

  test("does not include silence that a vendor has had the time to process", () => {
    const speech = new UntranscribedSpeech();
    for (let second = 1; second <= 600; second++) speech.addAudio(1, { detectsTurns: true, nowMs: second * 1_000 });
    expect(speech.seconds).toBeLessThanOrEqual(11);
    speech.speechStarted();
    for (let second = 601; second <= 700; second++) speech.addAudio(1, { detectsTurns: true, nowMs: second * 1_000 });
    expect(speech.seconds).toBeGreaterThanOrEqual(100);
  });

  test("is all of it if it is sent at once, or if the client ends the turns", () => {
    const atOnce = new UntranscribedSpeech();
    const manual = new UntranscribedSpeech();
    for (let second = 1; second <= 600; second++) {
      atOnce.addAudio(1, automatic);
      manual.addAudio(1, { detectsTurns: false, nowMs: second * 1_000 });
    }
    expect([atOnce.seconds, manual.seconds]).toEqual([600, 600]);
  });

  test("is that of the next turn if it was sent before the vendor named the last one", () => {
    const manual = { detectsTurns: false, nowMs: 0 };
    const speech = new UntranscribedSpeech();
    speech.addAudio(1, manual);
    speech.commitRequested();
    speech.addAudio(60, manual);
    speech.turnCommitted("one");
    speech.transcriptEnded("one", 1);
    expect(speech.seconds).toBe(60);
    const found = new UntranscribedSpeech();
    found.addAudio(61, automatic);
    found.turnCommitted("one");
    found.transcriptEnded("one", 1);
    expect(found.seconds).toBe(60);
  });

  test("stays in the buffer if the vendor refuses to commit it", () => {
    const speech = new UntranscribedSpeech();
    speech.addAudio(0.05, { detectsTurns: false, nowMs: 0 });
    speech.commitRequested();
    speech.commitRequested();
    speech.commitRefused();
    speech.commitRefused();
    speech.commitRefused();
    expect([speech.seconds, speech.turns]).toEqual([0.05, 1]);
    speech.commitRequested();
    speech.turnCommitted("one");
    speech.transcriptEnded("one");
    expect([speech.seconds, speech.turns]).toEqual([0, 0]);
  });

  test("is not lost with too many turns to distinguish", () => {
    const speech = new UntranscribedSpeech();
    for (let at = 0; at < 1_000; at++) {
      speech.addAudio(1, automatic);
      speech.turnCommitted(`turn ${at}`);
    }
    expect(speech.seconds).toBe(1_000);
  });
});

test("speech in real time is one turn at a time; a recording in one burst is many turns, by its duration", () => {
  const ahead = new SpeechAhead();
  for (let second = 1; second <= 600; second++) ahead.addSpeech(1, second * 1_000);
  expect(ahead.possibleTurns(600_000)).toBe(1);
  ahead.addSpeech(60, 600_000);
  expect(ahead.possibleTurns(600_000)).toBe(31);
  expect(ahead.possibleTurns(660_000)).toBe(1);
});

test("input during a response is read by the next one", () => {
  const passed = new SessionTraffic();
  passed.addInput(0, 400);
  passed.startResponse();
  passed.addInput(0, 4_000);
  passed.addOutput(0, 40);
  expect(passed.units).toEqual({ inputTokens: 1_100, outputTokens: 10 });
  passed.startNextUse();
  expect(passed.units).toEqual({ inputTokens: 1_000 });
  expect(passed.hasOutput).toBe(false);
});
