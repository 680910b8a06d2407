import { expect, test } from "vitest";
import { LiveTally } from "../../../src/realtime/gemini-live/pass.ts";

const textContent = (text: string) => ({ serverContent: { modelTurn: { parts: [{ text }] } } });
const turnEnd = (responseTokenCount: number) => ({
  serverContent: { turnComplete: true },
  usageMetadata: { promptTokenCount: 5, responseTokenCount },
});
const interrupted = { serverContent: { interrupted: true } };
const kinds = (tally: LiveTally, ...messages: object[]) =>
  messages.flatMap((message) => tally.inspect({ ...message })).map(({ kind }) => kind);

test("a turn is one response, with the vendor's usage", () => {
  const tally = new LiveTally("s");
  tally.request();
  expect(kinds(tally, textContent("Hi"))).toEqual(["response-begun", "delta"]);
  expect(tally.pending).toBe(0);
  expect(tally.inspect(turnEnd(3))).toEqual([
    {
      kind: "response-done",
      id: "resp_s1",
      units: { requests: 1, inputTokens: 5, outputTokens: 3 },
      callStatus: "completed",
    },
  ]);
});

test("a turn without content is charged only if the vendor counted it", () => {
  const tally = new LiveTally("s");
  expect(kinds(tally, turnEnd(0))).toEqual(["response-begun", "response-done"]);
  expect(kinds(tally, { serverContent: { turnComplete: true } })).toEqual([]);
});

test("an interrupted turn is answered by another turn, which is still expected", () => {
  const tally = new LiveTally("s");
  tally.request();
  tally.inspect(textContent("Long"));
  tally.request();
  const [done] = tally.inspect(interrupted).concat(tally.inspect(turnEnd(1)));
  expect(done).toMatchObject({ kind: "response-done", callStatus: "cancelled" });
  expect(tally.pending).toBe(1);
  expect(kinds(tally, textContent("Next"), turnEnd(1))).toEqual(["response-begun", "delta", "response-done"]);
  expect(tally.pending).toBe(0);
});

test("a turn answers every earlier request", () => {
  const tally = new LiveTally("s");
  tally.request();
  tally.request();
  tally.inspect(textContent("Both"));
  expect(tally.pending).toBe(1);
  tally.inspect(turnEnd(1));
  expect(tally.pending).toBe(0);
});

test("calls end a response, and their last result requests the next one", () => {
  const tally = new LiveTally("s");
  const functionCalls = [
    { id: "one", name: "a", args: {} },
    { id: "two", name: "b", args: {} },
  ];
  expect(kinds(tally, { toolCall: { functionCalls }, usageMetadata: { promptTokenCount: 1 } })).toEqual([
    "response-begun",
    "delta",
    "response-done",
  ]);
  expect(tally.answerCalls([{ id: "one" }])).toBe(false);
  expect(tally.answerCalls([{ id: "two" }])).toBe(true);
});

test("the session does not wait for a cancelled call", () => {
  const tally = new LiveTally("s");
  tally.inspect({ toolCall: { functionCalls: [{ id: "one" }, { id: "two" }] } });
  tally.inspect({ toolCallCancellation: { ids: ["one"] } });
  expect(tally.answerCalls([{ id: "two" }])).toBe(true);
});
