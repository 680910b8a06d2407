import { expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { BufferBudget, startSpan, type CallFacts } from "@modelgate/platform";
import { callOf, FakeClient } from "../../../../libs/relay/test/fakes.ts";
import { BackgroundRun } from "../../src/responses/background/background-run.ts";
import { responsesEventFormat } from "../../src/responses/background/event-format.ts";

const done = () => Promise.resolve();
const objects = { save: async () => "stored" as const, remove: async () => true };

test.each<[string, (facts: CallFacts) => unknown, readonly string[]]>([
  ["throws a failure", () => Promise.reject(new Failure("insufficient_quota")), ["insufficient_quota"]],
  ["ends its stream", (facts) => void (facts.refusal = new Failure("insufficient_quota")), ["insufficient_quota"]],
  ["is booked", (facts) => void (facts.isBooked = true), []],
])("the refusal of a background call that %s is recorded, unless it has a usage event", async (_, end, recorded) => {
  const refusals: string[] = [];
  const facts: CallFacts = {};
  const call = {
    ...callOf(new FakeClient()),
    facts,
    span: startSpan({ name: "test", kind: "server", parent: undefined }),
  };
  const holding = new BufferBudget(1_000).openHolding({ accountId: "a", tokenId: "t" });
  const deps = {
    relay: { log: call.log },
    background: { maxEvents: 9, maxCharacters: 1_000 },
    body: { maxBytes: 1_000 },
    refused: { add: (_call: unknown, { code }: Failure) => void refusals.push(code) },
    responses: objects,
    interactions: objects,
    backgroundStore: {
      addEvents: async () => true,
      addFinalEvent: done,
      releaseLease: done,
      removeEvents: done,
      renew: async () => "renewed" as const,
    },
  };
  const run = new BackgroundRun(deps, {
    call,
    body: { holding, [Symbol.dispose]: () => undefined },
    format: responsesEventFormat,
    patch: {},
    queued: { response: { id: "r", output: [] }, input: [], ancestors: [] },
    id: "r",
    async run(_call, onStart) {
      onStart();
      await end(facts);
    },
  });
  await run.finished;
  expect(refusals).toEqual(recorded);
  // Otherwise, the request's handler would record it again.
  expect(facts.refusal).toBeUndefined();
});
