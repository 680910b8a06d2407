import { expect, test } from "vitest";
import { BufferBudget } from "@modelgate/platform";
import { BackgroundSink } from "../../src/responses/background/background-sink.ts";
import { interactionsEventFormat, responsesEventFormat } from "../../src/responses/background/event-format.ts";

const sse = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

function sinkOf(format: typeof interactionsEventFormat, { maxHeldBytes = 10_000, limitBytes = 10_000 } = {}) {
  const memory = new BufferBudget(limitBytes).openHolding({ accountId: "a", tokenId: "t" });
  const sink = new BackgroundSink({
    storeEvents: () => Promise.resolve(true),
    maxEvents: 100,
    maxCharacters: 10_000,
    firstNumber: 1,
    format,
    patch: { id: "int_1" },
    memory,
    maxHeldBytes,
  });
  return { memory, sink };
}

test("an error before the first event of an interaction is not lost", () => {
  const { sink } = sinkOf(interactionsEventFormat);
  const error = { code: "internal", message: "It broke." };
  sink.write(sse({ event_type: "error", error }));
  expect(sink.response).toEqual({ id: "int_1", steps: [], status: "failed", errors: [error] });
});

test("the events of an interaction are counted; those of a response are not stored separately", () => {
  const delta = sse({ event_type: "step.delta", index: 0, delta: { type: "text", text: "Hi" } });
  const created = sinkOf(interactionsEventFormat);
  created.sink.write(delta + delta);
  expect(created.memory.bytes).toBe(2 * delta.length);
  const response = sinkOf(responsesEventFormat);
  response.sink.write(sse({ type: "response.in_progress", response: { id: "r" } }));
  expect(response.memory.bytes).toBe(0);
});

test.each([
  ["its maximum", { maxHeldBytes: 200 }, "answer_too_large"],
  ["the memory", { limitBytes: 200 }, "server_overloaded"],
])("an interaction above %s is ended", (_, limits, code) => {
  const { memory, sink } = sinkOf(interactionsEventFormat, limits);
  const delta = sse({ event_type: "step.delta", index: 0, delta: { type: "text", text: "x".repeat(50) } });
  sink.write(delta);
  expect(sink.ending.aborted).toBe(false);
  sink.write(delta + delta);
  expect(sink.ending.reason).toMatchObject({ code });
  expect(memory.bytes).toBeLessThanOrEqual(200);
});
