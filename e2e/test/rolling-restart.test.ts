import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { openRestartSetup, type RestartSetup } from "../restarts/setup.ts";
import { isWhole, rollOut } from "../restarts/rolling.ts";
import { storedEvents } from "./events.ts";
import { settledMoney } from "./suite-client.ts";

const streamCount = 150;

let setup: RestartSetup;
beforeAll(async () => {
  setup = await openRestartSetup("apart");
});
afterAll(() => setup?.[Symbol.asyncDispose]());

test(`${streamCount} open streams while all replicas of edge and text are replaced: none is cut, nothing refused, no event lost`, async () => {
  const names = ["text", "edge"] as const;
  const result = await rollOut(setup, { names, streams: streamCount, sessions: 0 });
  expect(result.openStreams).toBe(streamCount);
  expect(result.exitStatuses).toEqual([0, 0]);
  expect(result.otherAnswers.filter((answer) => !isWhole(answer, "plain"))).toEqual([]);
  // The number of other calls depends on the machine.
  expect(result.otherAnswers.length).toBeGreaterThan(names.length);
  expect(result.streams.filter((answer) => isWhole(answer, "stream"))).toHaveLength(streamCount);
  expect(result.runningReplicas).toBe(names.length);
  await booksAgree(result.otherAnswers.length);
});

/** Waits until nothing is reserved, each call has one event, and the spending equals the events. */
async function booksAgree(others: number): Promise<void> {
  const { suite } = setup;
  const account = await settledMoney(suite);
  expect(BigInt(account.balanceNanos)).toBe(BigInt(account.creditedNanos) - BigInt(account.spentNanos));
  const events = await until("every event to be stored", async () => {
    const stored = (await storedEvents(suite.backends.natsUrl)).map(({ event }) => event);
    return stored.filter(({ requestId }) => requestId !== "ready").length >= streamCount + others && stored;
  });
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const streams = events.filter(({ requestId }) => requestId.startsWith("stream-"));
  expect(new Set(streams.map(({ requestId }) => requestId)).size).toBe(streamCount);
  expect(streams).toHaveLength(streamCount);
  expect(streams.filter(({ outcome, estimated }) => outcome !== "completed" || estimated)).toEqual([]);
  expect(events.reduce((sum, { costNanos }) => sum + BigInt(costNanos), 0n)).toBe(BigInt(account.spentNanos));
}
