import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { alertCells, alertsHead, forgottenAlerts, provokeAlerts, provoked, type AlertRow } from "./alerts/run.ts";
import { faults } from "./faults.ts";
import { runFaults } from "./run-faults.ts";
import { asTable, faultsHead, withRows } from "./table.ts";

/**
 * The chaos run: the whole suite under load in every area, one fault after the other, and what each cost; then every alert
 * provoked once. Prints two tables, writes their rows into e2e/CHAOS.md (those of faults where all areas had their part), and ends
 * with 1 where an event was lost, a charge was made twice, the books do not agree, or an alert did not fire and end.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    only: { type: "string" },
    area: { type: "string" },
    books: { type: "string", default: "postgres" },
    shape: { type: "string", default: "apart" },
    json: { type: "boolean" },
    /** Alerts whose name has the word (`Modelgate`: all), and no faults. */
    alerts: { type: "string" },
  },
});
const print = (line: string): void => void (values.json ? 0 : process.stdout.write(`${line}\n`));
const results: { faults?: readonly (readonly string[])[]; alerts?: readonly AlertRow[] } = {};
let bad = 0;

if (values.alerts === undefined) {
  const { only, area } = values;
  const shape = values.shape === "one" ? "one" : "apart";
  const found = await runFaults({
    seconds: Number(values.seconds),
    only,
    area,
    engine: values.books === "sqlite" ? "sqlite" : "postgres",
    shape,
    seen: (row) => print(row.join(" | ")),
  });
  bad += found.bad;
  results.faults = found.rows;
  const table = { head: faultsHead(found.areas, shape), rows: found.rows, names: faults.map(({ name }) => name) };
  print(`\n${asTable(table.head, table.rows)}\n`);
  if (area === undefined) write(table);
}
if (
  values.alerts !== undefined ||
  (values.only === undefined && values.area === undefined && values.shape === "apart")
) {
  const rows = await provokeAlerts(process.env["MODELGATE_PROMETHEUS"], values.alerts, (row) =>
    print(
      `${row.alert}: ${row.firedMs === undefined ? "did not fire" : "fired"}, ${row.endedMs === undefined ? "did not end" : "ended"}`,
    ),
  );
  if (rows === undefined) print("The alerts are left out: there is no Prometheus (MODELGATE_PROMETHEUS).");
  else {
    bad += rows.filter(({ firedMs, endedMs }) => firedMs === undefined || endedMs === undefined).length;
    bad += forgottenAlerts().length;
    results.alerts = rows;
    const table = { head: alertsHead, rows: rows.map(alertCells), names: provoked };
    print(`\n${asTable(table.head, table.rows)}\n`);
    write(table);
    for (const name of forgottenAlerts()) print(`Nothing provokes ${name}.`);
  }
}
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`);
process.exitCode = bad > 0 ? 1 : 0;

function write(table: Parameters<typeof withRows>[1]): void {
  const file = join(import.meta.dirname, "../CHAOS.md");
  writeFileSync(file, withRows(readFileSync(file, "utf8"), table));
}
