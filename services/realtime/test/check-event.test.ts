import { expect, test } from "vitest";
import { checkEvent } from "../src/check-event.ts";
import { gptLiveFormat, geminiLiveFormat, realtimeFormat, type SessionFormat } from "../src/session-format.ts";

const limits = { eventBytes: 1_000_000, eventValues: 1_000, eventMembers: 500 };
const check = (event: unknown, format: SessionFormat = realtimeFormat): Promise<void> =>
  checkEvent(Buffer.from(JSON.stringify(event)), format, { limits, body: { depth: 64 } });
const numbers = (count: number) => Array.from({ length: count }, () => 1);

test.each<[string, unknown]>([
  ["is above the maximum size of events", { type: "session.update", session: { instructions: "x".repeat(1_000_001) } }],
  ["has more values", { type: "conversation.item.create", item: numbers(1_001) }],
  ["has more members", { type: "response.create", response: Object.fromEntries(numbers(501).entries()) }],
  ["only starts like audio", { type: "input_audio_buffer.append", audio: "A".repeat(1_000_000), more: numbers(9) }],
])("a large event that %s is refused before it is parsed", async (_, event) => {
  await expect(check(event)).rejects.toMatchObject({ code: "request_too_large" });
});

test("audio passes up to the maximum size of messages", async () => {
  await expect(check({ type: "input_audio_buffer.append", audio: "A".repeat(2_000_000) })).resolves.toBeUndefined();
  await expect(
    check({ type: "session.update", session: { instructions: "x".repeat(500_000) } }),
  ).resolves.toBeUndefined();
});

test.each([
  ["Python's JSON module", `{"type": "input_audio_buffer.append", "audio": "${"A".repeat(2_000_000)}"}`],
  ["pydantic", `{"audio":"${"A".repeat(2_000_000)}","type":"input_audio_buffer.append","event_id":"event_1"}`],
])("large audio that %s wrote passes", async (_, text) => {
  const passed = checkEvent(Buffer.from(text), realtimeFormat, { limits, body: { depth: 64 } });
  await expect(passed).resolves.toBeUndefined();
});

test("only the audio of the session's format passes", async () => {
  const audio = "A".repeat(2_000_000);
  const [older, live] = ["input_audio_buffer.append", "session.input_audio.append"].map((type) => ({ type, audio }));
  await expect(check(live, gptLiveFormat)).resolves.toBeUndefined();
  for (const [event, format] of [
    [live, realtimeFormat],
    [older, gptLiveFormat],
    [older, geminiLiveFormat],
  ] as const)
    await expect(check(event, format)).rejects.toMatchObject({ code: "request_too_large" });
});
