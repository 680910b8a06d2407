import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shapes, type Shape } from "@modelgate/testkit";
import { areas } from "../chaos/areas.ts";
import { faults, type Fault } from "../chaos/faults.ts";
import { brokenOf, faultsOf, openFaultRun, type FaultRun } from "../chaos/run-faults.ts";

/**
 * The brief rows of the table of faults, each for a second, with clients of three areas: no event is lost, none is stored or
 * charged twice, the books agree, clients see nothing but what the row allows, and every area answers after it. `npm run chaos`
 * has all rows, for longer.
 */
const engine = "postgres";
const briefAreas = areas.filter(({ name }) => name === "text" || name === "video" || name === "realtime");
/** What a row does to one service of several needs them apart; all else is the same in one process. */
const rowsOf = (shape: Shape): readonly Fault[] =>
  faultsOf(faults, engine, shape).filter(({ brief, shape: only = "one" }) => brief === true && only === shape);

describe.each(shapes)("services %s", (shape) => {
  const rows = rowsOf(shape);
  let run: FaultRun;
  beforeAll(async () => {
    run = await openFaultRun({ faults: rows, areas: briefAreas, faultMs: 1_000, clients: 2, engine, shape });
  }, 120_000);
  afterAll(() => run?.[Symbol.asyncDispose]());

  test.each(rows.map((fault) => [fault.name, fault] as const))(
    "%s",
    async (_, fault) => {
      expect(brokenOf(fault, await run.live(fault)).join("\n")).toBe("");
    },
    180_000,
  );
});
