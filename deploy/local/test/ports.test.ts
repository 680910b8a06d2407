import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { freePorts } from "../ports.ts";
import { portsOf } from "../services.ts";

const run = promisify(execFile);
/** Number of ports for each process. Without reservations, two processes would have about twenty in common. */
const many = 600;

test("no port is assigned to two processes, also before a process listens on it", async () => {
  const portsHere = await freePorts(many);
  const ask = `
    import { freePorts } from ${JSON.stringify(new URL("../ports.ts", import.meta.url).href)};
    console.log(JSON.stringify(await freePorts(${many})));
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", ask]);
  const portsOfChild: readonly number[] = JSON.parse(stdout);
  expect(portsOfChild).toHaveLength(many);
  expect(new Set([...portsHere, ...portsOfChild]).size).toBe(2 * many);
});

test("a service has the ports of its variables, or free ones", () => {
  const free = Array.from({ length: 18 }, (_, at) => 2_000 + at);
  const ports = portsOf(free, { PORT: "0", CONTROL_PORT: "9000", LEDGER_OPS_PORT: "9001" });
  expect([ports.edge, ports.control, ports.ledger]).toEqual([
    { main: 2_000, ops: 2_001 },
    { main: 9_000, ops: 2_017 },
    { main: 2_014, ops: 9_001 },
  ]);
});
