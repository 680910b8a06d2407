import { setTimeout } from "node:timers/promises";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { measureLoopLag } from "../src/metrics.ts";

test("reports the delay of the event loop since the last sample, without the interval between samples", async () => {
  const register = new Registry();
  measureLoopLag(register);
  const read = async (which: string): Promise<number> => {
    const text = await register.metrics();
    return Number(new RegExp(`^nodejs_eventloop_lag_${which}_seconds (\\S+)$`, "m").exec(text)?.[1]);
  };
  const blockedMs = 300;
  await setTimeout(1);
  for (const end = performance.now() + blockedMs; performance.now() < end;);
  await setTimeout(1); // waits for the sample that became due
  expect(await read("max")).toBeGreaterThan(0.2);
  expect(await read("max")).toBeLessThan(0.2); // a new measurement
});
