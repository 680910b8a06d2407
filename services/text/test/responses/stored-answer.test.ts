import { expect, test } from "vitest";
import { BufferBudget } from "@modelgate/platform";
import { InteractionCollector, MessageCollector, type AnswerCollector, type JsonObject } from "@modelgate/wires/text";
import { callOf, FakeClient } from "../../../../libs/relay/test/fakes.ts";
import { storeAnswerFirst } from "../../src/responses/index.ts";

const span = { traceparent: undefined };

/** Wraps the sink of a call whose answer is stored, and records the text that the client had received before. */
function keeping(collector: AnswerCollector, { maxBytes = 10_000, limitBytes = 10_000 } = {}) {
  const client = new FakeClient();
  const warnings: unknown[] = [];
  const call = callOf(client);
  const log = Object.assign(Object.create(call.log), { warn: (what: unknown) => void warnings.push(what) });
  const memory = new BufferBudget(limitBytes).openHolding(call.caller);
  const stored: { readonly id: string; readonly answer: JsonObject; readonly text: string }[] = [];
  const sink = storeAnswerFirst(Object.assign(call, { log, span }), {
    maxBytes,
    memory,
    collector,
    store: async (id, answer) => void (await Promise.resolve(stored.push({ id, answer, text: client.text }))),
  });
  return { client, memory, sink, stored, warnings };
}

const sse = (events: readonly object[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const interaction = [
  { event_type: "interaction.created", interaction: { id: "int_1", status: "in_progress" } },
  { event_type: "step.start", index: 0, step: { type: "model_output" } },
  { event_type: "step.delta", index: 0, delta: { type: "text", text: "Hi" } },
  { event_type: "step.stop", index: 0 },
  { event_type: "interaction.completed", interaction: { id: "int_1", status: "completed" } },
];
const message = [
  { type: "message_start", message: { id: "msg_1", role: "assistant" } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_stop" },
];
const streams = { "content-type": "text/event-stream" };
const kinds = [
  [
    "interaction",
    interaction,
    () => new InteractionCollector(),
    { id: "int_1", steps: [{ content: [{ text: "Hi" }] }] },
  ],
  ["message", message, () => new MessageCollector(), { id: "msg_1", content: [{ type: "text", text: "Hi" }] }],
] as const;

test.each(kinds)(
  "a streamed %s is stored before its client has the end, and its bytes are counted",
  async (_, events, make, kept) => {
    const { client, memory, sink, stored } = keeping(make());
    sink.begin(200, streams);
    sink.write(sse(events.slice(0, -1)));
    sink.end(sse(events.slice(-1)));
    await sink.stored;
    expect(stored).toMatchObject([{ id: kept.id, answer: kept, text: sse(events.slice(0, -1)) }]);
    expect([client.text, client.ended]).toEqual([sse(events), true]);
    expect(memory.bytes).toBe(sse(events).length);
  },
);

test.each(kinds)("a streamed %s that does not end normally is not stored", async (_, events, make) => {
  const { client, sink, stored } = keeping(make());
  sink.begin(200, streams);
  sink.end(sse(events.slice(0, -1)));
  await sink.stored;
  expect([stored, client.ended]).toEqual([[], true]);
});

test("a complete answer is stored, and its bytes are counted", async () => {
  const { client, memory, sink, stored } = keeping(new InteractionCollector());
  sink.begin(200, { "content-type": "application/json" });
  sink.end('{"id":"int_1","status":"completed"}');
  await sink.stored;
  expect([stored.map(({ id }) => id), client.ended, memory.bytes]).toEqual([["int_1"], true, 35]);
});

test.each([
  ["is longer than its maximum", { maxBytes: 100 }, 0],
  ["does not fit into the memory", { limitBytes: 100 }, 1],
])("an answer that %s is not stored, and its client gets it completely", async (_, limits, warned) => {
  const [, events, make] = kinds[0];
  for (const isStream of [true, false]) {
    const { client, memory, sink, stored, warnings } = keeping(make(), limits);
    sink.begin(200, isStream ? streams : { "content-type": "application/json" });
    const whole = JSON.stringify({ id: "int_1", status: "completed", steps: [{ text: "x".repeat(200) }] });
    for (const event of isStream ? events : []) sink.write(sse([event]));
    sink.end(isStream ? "" : whole);
    await sink.stored;
    expect([stored, client.text, client.ended]).toEqual([[], isStream ? sse(events) : whole, true]);
    expect(warnings).toHaveLength(warned);
    expect(memory.bytes).toBeLessThanOrEqual(100);
  }
});

test("an error is not stored", async () => {
  const { sink, stored } = keeping(new InteractionCollector());
  sink.begin(400, { "content-type": "application/json" });
  sink.end('{"id":"int_1"}');
  await sink.stored;
  expect(stored).toEqual([]);
});
