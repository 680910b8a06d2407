import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runAttack } from "./carry-out.ts";
import { openAttackSetup } from "./setup.ts";
import { attacks } from "./kinds/index.ts";
import { asTable, withTable, type Row } from "./table.ts";

/**
 * Runs the attacks against a complete suite, and exits with 1 if a check failed. A run of all attacks updates
 * ATTACK.md.
 */
const { values } = parseArgs({
  options: { only: { type: "string" }, json: { type: "boolean", default: false } },
});
const { only } = values;
const chosen = attacks.filter(({ id, name }) => only === undefined || id.includes(only) || name.includes(only));
if (chosen.length === 0) throw new Error(`There is no attack ${JSON.stringify(only)}.`);

await using setup = await openAttackSetup(chosen);
const rows: Row[] = [];
for (const attack of chosen) {
  const row = await runAttack(attack, setup);
  rows.push(row);
  const verdict = row.failedChecks.length === 0 ? "held" : `NOT HELD: ${row.failedChecks.join("; ")}`;
  if (!values.json)
    process.stdout.write(`${row.name} | ${row.tried} | ${row.figure} | ${row.others} | ${row.loop} | ${verdict}\n`);
}
process.stdout.write(values.json ? `${JSON.stringify(rows)}\n` : `\n${asTable(rows)}\n`);
if (only === undefined) {
  const file = join(import.meta.dirname, "../ATTACK.md");
  writeFileSync(file, withTable(readFileSync(file, "utf8"), new Date().toISOString().slice(0, 10), rows));
}
process.exitCode = rows.some(({ failedChecks }) => failedChecks.length > 0) ? 1 : 0;
