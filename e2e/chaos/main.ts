import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { alertCells, alertsHead, untestedAlerts, provokeAlerts } from "./alerts/run.ts";
import { provocations } from "./alerts/provocations.ts";
import { areas } from "./areas.ts";
import { faults } from "./faults.ts";
import { failedChecksOf, faultsOf, openFaultRun } from "./run-faults.ts";
import { asTable, faultsHead, rowOf, withRows } from "./table.ts";

/**
 * Causes faults in a complete suite, then provokes alerts. Writes the results to e2e/CHAOS.md, and exits with 1 if a
 * check failed.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    only: { type: "string" },
    area: { type: "string" },
    books: { type: "string", default: "postgres" },
    shape: { type: "string", default: "apart" },
    json: { type: "boolean" },
    /** Runs no faults, and only the alerts whose names contain this word. */
    alerts: { type: "string" },
  },
});
const { only, area } = values;
const print = (line: string): void => void (values.json ? 0 : process.stdout.write(`${line}\n`));
const results: { faults?: readonly (readonly string[])[]; alerts?: readonly (readonly string[])[] } = {};
let failedCount = 0;

if (values.alerts === undefined) await runFaults();
const isAll = only === undefined && area === undefined && values.shape === "apart";
if (values.alerts !== undefined || isAll) await runAlerts();
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`);
process.exitCode = failedCount > 0 ? 1 : 0;

async function runFaults(): Promise<void> {
  const engine = values.books === "sqlite" ? "sqlite" : "postgres";
  const shape = values.shape === "one" ? "one" : "apart";
  const chosen = faultsOf(faults, engine, shape).filter(({ name }) => name.includes(only ?? ""));
  const chosenAreas = areas.filter(({ name }) => name === (area ?? name));
  const faultMs = Number(values.seconds) * 1_000;
  await using run = await openFaultRun({ faults: chosen, areas: chosenAreas, faultMs, clients: 3, engine, shape });
  const rows: (readonly string[])[] = [];
  for (const fault of chosen) {
    const found = await run.run(fault);
    const failedChecks = failedChecksOf(fault, found);
    if (failedChecks.length > 0) failedCount++;
    rows.push(rowOf(fault.name, found));
    print([...(rows.at(-1) ?? []), ...failedChecks.map((what) => `FAILED: ${what}`)].join(" | "));
  }
  results.faults = rows;
  reportTable(
    { head: faultsHead(chosenAreas, shape), rows, names: faults.map(({ name }) => name) },
    area === undefined,
  );
}

async function runAlerts(): Promise<void> {
  const rows = await provokeAlerts(process.env["MODELGATE_PROMETHEUS"], values.alerts, (row) =>
    print(alertCells(row).join(" | ")),
  );
  if (rows === undefined) {
    print("The alerts are skipped, because there is no Prometheus (MODELGATE_PROMETHEUS).");
    return;
  }
  failedCount += rows.filter(({ firedMs, endedMs }) => firedMs === undefined || endedMs === undefined).length;
  for (const name of untestedAlerts()) {
    failedCount++;
    print(`No condition tests the alert ${name}.`);
  }
  results.alerts = rows.map(alertCells);
  reportTable({ head: alertsHead, rows: results.alerts, names: provocations.map(({ alert }) => alert) }, true);
}

function reportTable(table: Parameters<typeof withRows>[1], writesFile: boolean): void {
  print(`\n${asTable(table.head, table.rows)}\n`);
  const file = join(import.meta.dirname, "../CHAOS.md");
  if (writesFile) writeFileSync(file, withRows(readFileSync(file, "utf8"), table));
}
