import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shapes, type Shape } from "@modelgate/testkit";
import { areas } from "../chaos/areas.ts";
import { faults, type Fault } from "../chaos/faults.ts";
import { failedChecksOf, faultsOf, openFaultRun, type FaultRun } from "../chaos/run-faults.ts";

/**
 * Runs the brief faults of `npm run chaos` for 0.6 s each. No event may be lost or charged twice, and every area
 * must answer afterwards.
 */
const engine = "postgres";
const briefAreas = areas.filter(({ name }) => name === "text" || name === "video" || name === "realtime");
/**
 * Returns the brief faults of a layout. A fault without `shape` runs in one process, because its effect in separate
 * processes is the same.
 */
const rowsOf = (shape: Shape): readonly Fault[] =>
  faultsOf(faults, engine, shape).filter(({ brief, shape: only = "one" }) => brief === true && only === shape);

describe.each(shapes)("services %s", (shape) => {
  const rows = rowsOf(shape);
  let run: FaultRun;
  beforeAll(async () => {
    run = await openFaultRun({ faults: rows, areas: briefAreas, faultMs: 600, clients: 2, engine, shape });
  });
  afterAll(() => run?.[Symbol.asyncDispose]());

  test.each(rows.map((fault) => [fault.name, fault] as const))(
    "%s",
    async (_, fault) => {
      expect(failedChecksOf(fault, await run.run(fault)).join("\n")).toBe("");
    },
    180_000,
  );
});
