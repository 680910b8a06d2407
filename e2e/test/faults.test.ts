import { afterAll, beforeAll, expect, test } from "vitest";
import { areas } from "../chaos/areas.ts";
import { faults } from "../chaos/faults.ts";
import { failedChecksOf, faultsOf, openFaultRun, type FaultRun } from "../chaos/run-faults.ts";

/**
 * Runs the brief faults of `npm run chaos` for 0.6 s each, in one process. No event may be lost or charged twice, and
 * every area must answer afterwards.
 */
const [engine, shape] = ["sqlite", "one"] as const;
const briefAreas = areas.filter(({ name }) => name === "text" || name === "video" || name === "realtime");
const rows = faultsOf(faults, engine, shape).filter(({ brief }) => brief === true);

let run: FaultRun;
beforeAll(async () => {
  run = await openFaultRun({ faults: rows, areas: briefAreas, faultMs: 600, clients: 2, engine, shape });
});
afterAll(() => run?.[Symbol.asyncDispose]());

test.each(rows.map((fault) => [fault.name, fault] as const))("%s", async (_, fault) => {
  expect(failedChecksOf(fault, await run.run(fault)).join("\n")).toBe("");
});
