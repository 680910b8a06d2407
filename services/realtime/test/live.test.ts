import {
  Behavior,
  StartSensitivity,
  TurnCoverage,
  Type,
  type FunctionDeclaration,
  type LiveConnectConfig,
} from "@google/genai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../libs/relay/test/area.ts";
import { channel, geminiChannel, keys, startSessions, textSession } from "./start-sessions.ts";
import { googleClient, openLive, speechConfig, textConfig, type LiveTestSession } from "./live-client.ts";
import { ask, simulated } from "./session-client.ts";

/** Sessions of Google's SDK with every vendor of sessions: one format is passed through, the other is translated. */
const price = { input: 3, cachedInput: 1, output: 12, inputAudio: 20, outputAudio: 50 };
const poorKey = "sk-penniless-0123456789abcdef";

let area: Area;
beforeAll(async () => {
  area = await startSessions({
    models: {
      ...Object.fromEntries(["gem", "gpt", "vtx"].map((name) => [name, { kind: "realtime", price }])),
      chat: { kind: "chat", price: { input: 1 } },
      ears: { kind: "transcription", price: { second: 0.0001 } },
    },
    channels: [
      channel("gpt", { gpt: "gpt-realtime", ears: "whisper-1" }),
      geminiChannel("gem", { gem: "gemini-live-1" }),
      {
        id: "vtx",
        provider: "vertex",
        baseUrl: "${SIMULATOR_URL}/at/vtx/vertex/v1/projects/p/locations/us-central1",
        keys: ["ya29.simulated"],
        models: { vtx: "gemini-live-1" },
      },
    ],
    accounts: { penniless: { balance: "0.0000001", tokens: [{ key: poorKey, group: "default" }] } },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const open = (model: string, settings = textConfig, key: string = keys.demo) =>
  openLive(googleClient(area.url, key), model, settings);
const eventsOf = async (model: string) => (await area.events()).filter((event) => event.model === model);

/** Returns the cost of a turn by the usage that the client received. */
function costOf(usage: LiveTestSession["messages"][number]["usageMetadata"]): bigint {
  const of = (details: readonly { modality?: string; tokenCount?: number }[] = [], modality: string) =>
    details.reduce((sum, each) => sum + (each.modality === modality ? (each.tokenCount ?? 0) : 0), 0);
  const { promptTokensDetails: read, cacheTokensDetails: cached, responseTokensDetails: output } = usage ?? {};
  const [text, audio] = [of(read, "TEXT") - of(cached, "TEXT"), of(read, "AUDIO") - of(cached, "AUDIO")];
  const nanos =
    text * 3_000 +
    audio * 20_000 +
    (usage?.cachedContentTokenCount ?? 0) * 1_000 +
    of(output, "TEXT") * 12_000 +
    of(output, "AUDIO") * 50_000;
  return BigInt(nanos);
}

/** A function as the SDK declares it, in the vendor's own schema. */
const weather: FunctionDeclaration = {
  name: "weather",
  description: "Says what the weather is.",
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } },
};

/** Returns sound of a sample rate and a length. */
const sound = (rate: number, ms: number, value: number) => ({
  audio: { mimeType: `audio/pcm;rate=${rate}`, data: Buffer.alloc((rate * 2 * ms) / 1_000, value).toString("base64") },
});

describe.each(["gem", "gpt", "vtx"])("over %s", (model) => {
  test("text and calls are answered, and each response is billed exactly to the token", async () => {
    const before = (await eventsOf(model)).length;
    const live = await open(model, {
      ...textConfig,
      systemInstruction: "Be kind.",
      tools: [{ functionDeclarations: [weather] }],
    });
    live.session.sendClientContent({ turns: "Hello" });
    const hello = await live.turn();
    expect(hello.text).toBe("You said: Hello");
    live.session.sendClientContent({ turns: 'call weather {"city":"Rome"}' });
    const { toolCall, usageMetadata: callUsage } = await live.next((message) => message.toolCall !== undefined);
    const [call] = toolCall?.functionCalls ?? [];
    expect(call?.name).toBe("weather");
    live.session.sendToolResponse({
      functionResponses: [{ id: call?.id ?? "", name: "weather", response: { output: "sunny" } }],
    });
    const answered = await live.turn();
    expect(answered.text).toContain("sunny");
    live.session.sendRealtimeInput({ text: "And now?" });
    const typed = await live.turn();
    expect(typed.text).toBe("You said: And now?");
    live.session.close();
    await until("its events", async () => (await eventsOf(model)).length >= before + 4);
    const events = (await eventsOf(model)).slice(before);
    expect(events.map(({ costNanos }) => BigInt(costNanos))).toEqual(
      [hello.usage, callUsage, answered.usage, typed.usage].map(costOf),
    );
    expect(events.every(({ estimated, channelId }) => !estimated && channelId === model)).toBe(true);
    await area.settled("demo");
  });

  test("speech both ways, and speech during an answer interrupts it", async () => {
    const before = (await eventsOf(model)).length;
    const live = await open(model, { ...speechConfig, inputAudioTranscription: {}, outputAudioTranscription: {} });
    live.session.sendRealtimeInput(sound(24_000, 1_000, 1));
    live.session.sendRealtimeInput(sound(24_000, 100, 0));
    const turn = await live.turn();
    expect(turn.outputTranscript).toBe("You said: 1100 ms of speech");
    expect(turn.audioBytes).toBeGreaterThan(10_000);
    live.session.sendClientContent({ turns: simulated({ chunks: 200, chunkDelayMs: 10, bodyBytes: 2_000 }) });
    await live.next(({ serverContent }) => serverContent?.modelTurn !== undefined);
    live.session.sendRealtimeInput(sound(24_000, 100, 1));
    const cut = await live.turn();
    expect(cut.interrupted).toBe(true);
    live.session.close();
    await until("its events", async () => (await eventsOf(model)).length >= before + 2);
    const [speech, interrupted] = (await eventsOf(model)).slice(before);
    expect(BigInt(speech?.costNanos ?? 0)).toBe(costOf(turn.usage));
    expect(BigInt(interrupted?.costNanos ?? 0)).toBe(costOf(cut.usage));
    expect(interrupted).toMatchObject({ outcome: "cancelled", estimated: false });
    await area.settled("demo");
  });

  test("the client's speech interrupts an answer, and is answered", async () => {
    const live = await open(model);
    live.session.sendClientContent({ turns: simulated({ chunks: 500, chunkDelayMs: 10, bodyBytes: 4_000 }) });
    await live.next(({ serverContent }) => serverContent?.modelTurn !== undefined);
    live.session.sendClientContent({ turns: "Stop" });
    expect((await live.turn()).interrupted).toBe(true);
    expect((await live.turn()).text).toBe("You said: Stop");
    live.session.close();
    await area.settled("demo");
  });

  test("a client that disconnects is charged for the vendor's usage", async () => {
    const before = (await eventsOf(model)).length;
    const live = await open(model);
    live.session.sendClientContent({ turns: simulated({ chunks: 500, chunkDelayMs: 10, bodyBytes: 4_000 }) });
    await live.next(({ serverContent }) => serverContent?.modelTurn !== undefined);
    live.session.close();
    await until("its event", async () => (await eventsOf(model)).length > before);
    expect((await eventsOf(model)).at(-1)).toMatchObject({ outcome: "cancelled", estimated: false });
    await area.settled("demo");
  });

  test("a client can end its turns itself", async () => {
    const realtimeInputConfig = { automaticActivityDetection: { disabled: true } };
    const live = await open(model, { ...textConfig, realtimeInputConfig });
    live.session.sendRealtimeInput({ activityStart: {} });
    live.session.sendRealtimeInput(sound(24_000, 1_000, 1));
    live.session.sendRealtimeInput({ activityEnd: {} });
    expect((await live.turn()).text).toContain("1000 ms of speech");
    live.session.close();
    await area.settled("demo");
  });

  test("session resumption handles are neither issued nor accepted", async () => {
    const live = await open(model, { ...textConfig, sessionResumption: {} });
    const { sessionResumptionUpdate: update } = await live.next(
      (message) => message.sessionResumptionUpdate !== undefined,
    );
    expect(update?.resumable).toBe(false);
    live.session.close();
    await expect(open(model, { ...textConfig, sessionResumption: { handle: "of-another" } })).rejects.toThrow(
      /code 1007.*cannot be resumed/,
    );
  });

  test("tools that the vendor runs are refused", async () => {
    await expect(open(model, { ...textConfig, tools: [{ googleSearch: {} }] })).rejects.toThrow(
      /code 1007.*googleSearch/,
    );
  });

  test("a second setup and an invalid message close the session", async () => {
    for (const wrong of [
      { setup: { model: "models/other" } },
      { clientContent: {}, realtimeInput: {} },
      { nonsense: {} },
    ]) {
      const live = await open(model);
      live.session.conn.send(JSON.stringify(wrong));
      expect((await live.closed).code).toBe(1007);
    }
  });

  test("a client without money is refused, with the reason", async () => {
    await expect(open(model, textConfig, poorKey)).rejects.toThrow(/code 1008.*available balance/);
    expect((await area.account("penniless")).heldNanos).toBe(0n);
  });
});

test("settings that the vendor does not support are named when the setup is complete", async () => {
  const settings = {
    ...speechConfig,
    temperature: 0.5,
    topP: 0.9,
    speechConfig: { languageCode: "de-DE", voiceConfig: { prebuiltVoiceConfig: { voiceName: "Puck" } } },
    realtimeInputConfig: {
      automaticActivityDetection: {
        silenceDurationMs: 300,
        startOfSpeechSensitivity: StartSensitivity.START_SENSITIVITY_LOW,
      },
      turnCoverage: TurnCoverage.TURN_INCLUDES_ALL_INPUT,
    },
    contextWindowCompression: { slidingWindow: {} },
    tools: [{ functionDeclarations: [{ ...weather, behavior: Behavior.NON_BLOCKING }] }],
  };
  const readyOf = async (model: string, config: LiveConnectConfig) => {
    const live = await open(model, config);
    const ready = await live.next((message) => message.setupComplete !== undefined);
    live.session.close();
    return ready.setupComplete;
  };
  expect(await readyOf("gpt", settings)).toEqual({
    dropped: [
      "contextWindowCompression",
      "generationConfig.temperature",
      "generationConfig.topP",
      "generationConfig.speechConfig.languageCode",
      "generationConfig.speechConfig.voiceConfig",
      "realtimeInputConfig.turnCoverage",
      "realtimeInputConfig.automaticActivityDetection.startOfSpeechSensitivity",
      "tools.functionDeclarations.behavior",
    ],
  });
  const sayable = { ...speechConfig, speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Coral" } } } };
  expect(await readyOf("gpt", sayable)).toEqual({});
  expect(await readyOf("gem", sayable)).toEqual({});
});

test("the SDK's input usage matches the vendor's, also at another sample rate", async () => {
  const live = await open("gpt", { ...speechConfig, inputAudioTranscription: {} });
  live.session.sendRealtimeInput(sound(16_000, 1_000, 1));
  live.session.sendRealtimeInput({ audioStreamEnd: true });
  live.session.sendRealtimeInput(sound(16_000, 100, 0));
  expect((await live.turn()).outputTranscript).toBe("");
  const { serverContent } = await live.next((message) => message.serverContent?.inputTranscription !== undefined);
  // A second of speech, and the silence that ends its turn.
  expect(serverContent?.inputTranscription?.text).toBe("1800 ms of speech");
  live.session.close();
  await area.settled("demo");
});

test("each vendor gets its name of the model and its key", async () => {
  const [gem] = await area.simulator.requests("gem");
  expect(gem?.headers["x-goog-api-key"]).toBe("key-of-gem");
  const [vtx] = await area.simulator.requests("vtx");
  expect(vtx?.path).toBe("/at/vtx/vertex/ws/google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent");
  expect(vtx?.headers["authorization"]).toBe("Bearer ya29.simulated");
  expect(vtx?.messages?.[0]).toContain(
    '"model":"projects/p/locations/us-central1/publishers/google/models/gemini-live-1"',
  );
});

test("clients of the realtime format over Vertex are billed exact to the token", async () => {
  const before = (await eventsOf("vtx")).length;
  const session = await textSession(area, "vtx");
  const { response } = await ask(session, "Hello");
  expect(response.output[0].content[0].text).toBe("You said: Hello");
  session.socket.close();
  await until("its event", async () => (await eventsOf("vtx")).length > before);
  const { input_tokens: read, output_tokens: output } = response.usage;
  expect((await eventsOf("vtx")).at(-1)).toMatchObject({ costNanos: String(read * 3_000 + output * 12_000) });
  await area.settled("demo");
});

test("an unsuitable model is refused", async () => {
  await expect(open("gem", textConfig, keys.narrow)).rejects.toThrow(/code 10\d\d/);
  await expect(open("no-such-model")).rejects.toThrow(/code 1007.*no-such-model/);
  await expect(open("chat")).rejects.toThrow(/code 1007/);
});

test("an unavailable channel is skipped before the setup is complete", async () => {
  await area.simulator.script("gem", [{ status: 503 }]);
  await expect(open("gem")).rejects.toThrow(/code 1011/);
});
