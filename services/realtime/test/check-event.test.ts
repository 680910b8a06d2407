import { expect, test } from "vitest";
import { checkEvent } from "../src/check-event.ts";

const limits = { eventBytes: 1_000_000, eventValues: 1_000, eventMembers: 500 };
const check = (event: unknown): Promise<void> =>
  checkEvent(Buffer.from(JSON.stringify(event)), { limits, body: { depth: 64 } });
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
