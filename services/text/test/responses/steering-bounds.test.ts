import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { BufferBudget } from "@modelgate/platform";
import type { JsonObject } from "@modelgate/wires/text";
import { expect, test } from "vitest";
import { Steering } from "../../src/responses/sockets/steering.ts";

const bytes = 100;
const large = 64 * 1024 + 1;

function steered() {
  const events: any[] = [];
  const budget = new BufferBudget(2 ** 20);
  let count = 0;
  const steering = new Steering({ send: (event) => void events.push(event), newId: () => `steer_${++count}` });
  const message = (size = bytes) => {
    const holding = budget.openHolding({ accountId: "a", tokenId: "t" });
    holding.add(size);
    return { bytes: size, holding };
  };
  return { steering, events, budget, message };
}

const answeredResponse = (id: string, output: readonly JsonObject[], status = "completed") => ({
  id,
  stored: { response: { id, status, output }, input: [], ancestors: [] },
});
const pendingCall = [{ type: "function_call", call_id: "call", name: "f", arguments: "{}" }];
const steerOf = (id: string, input: unknown = "Hi") => ({
  type: "response.steer",
  previous_response_id: id,
  input,
});

test("a large input that is refused is not returned, nor are long names", () => {
  const { steering, events, budget, message } = steered();
  expect(steering.steer(steerOf("none", "small"), message())).toBe(false);
  expect(steering.steer(steerOf("none", "large"), message(large))).toBe(false);
  steering.steer(steerOf("x".repeat(large)), message(large));
  steering.steer({ ...steerOf("none"), ["x".repeat(large)]: 1 }, message(large));
  expect(events.map(({ steer }) => steer)).toEqual([
    { previous_response_id: "none", input: "small" },
    { previous_response_id: "none" },
    { previous_response_id: "" },
    { previous_response_id: "none" },
  ]);
  for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(1024);
  expect(budget.usedBytes).toBe(0);
});

test("large inputs of a successor that fails are not returned", () => {
  const { steering, events, budget, message } = steered();
  steering.begin({}, undefined);
  steering.created("one");
  expect(steering.steer(steerOf("one", "small"), message())).toBe(true);
  expect(steering.steer(steerOf("one", "large"), message(large))).toBe(true);
  expect(budget.usedBytes).toBe(bytes + large);
  expect(steering.end(answeredResponse("one", [], "failed"), undefined)).toBeUndefined();
  expect(events.slice(2).map(({ type, steer }) => [type, steer])).toEqual([
    ["response.steer.failed", { id: "steer_1", previous_response_id: "one", input: "small" }],
    ["response.steer.failed", { id: "steer_2", previous_response_id: "one" }],
  ]);
  expect(budget.usedBytes).toBe(0);
});

test("the input of a limited number of responses waits for a request; the oldest fails", () => {
  const { steering, events, budget, message } = steered();
  for (let response = 1; response <= 17; response++) {
    steering.begin({}, "lane");
    steering.created(`resp_${response}`);
    steering.steer(steerOf(`resp_${response}`), message());
    steering.end(answeredResponse(`resp_${response}`, pendingCall), undefined);
  }
  const failed = events.filter(({ type }) => type === "response.steer.failed");
  expect(failed).toEqual([
    expect.objectContaining({
      error: expect.objectContaining({ code: "successor_creation_failed" }),
      steer: { id: "steer_1", previous_response_id: "resp_1", input: "Hi" },
      stream_id: "lane",
    }),
  ]);
  expect(budget.usedBytes).toBe(16 * bytes);
});

test("the request of an ended response is not kept while its steering input waits", async () => {
  const { steering, events, message } = steered();
  const begin = () => {
    const create = { input: "A long request" };
    steering.begin(create, undefined);
    return new WeakRef(create);
  };
  const create = begin();
  steering.created("one");
  steering.steer(steerOf("one"), message());
  steering.end(answeredResponse("one", pendingCall), undefined);
  expect(events.at(-1)?.type).toBe("response.steer.pending");
  // A weak reference keeps its object until the current task has ended.
  await setImmediate();
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  expect(create.deref()).toBeUndefined();
  expect(steering.begin({ previous_response_id: "one", input: "Now" }, undefined)["input"]).toHaveLength(2);
});
