import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { freePorts } from "../ports.ts";
import { portsOf } from "../services.ts";
import { wantedPorts } from "../wanted-ports.ts";

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

test.each([
  [
    "ports of several services",
    { PORT: "8080", CONTROL_PORT: "8081", TEXT_PORT: "0" },
    ["PORT", "TEXT_PORT", "CONTROL_PORT"],
  ],
  ["free ports", { PORT: "0", CONTROL_PORT: "0" }, ["PORT", "CONTROL_PORT"]],
  [
    "the operations port of the gateway's process",
    { EDGE_OPS_PORT: "9090", LEDGER_OPS_PORT: "9090" },
    ["EDGE_OPS_PORT"],
  ],
  ["the simulator's ports if it runs", { SIMULATOR_PORT: "8090" }, ["SIMULATOR_PORT"]],
])("npm start checks %s", (_, env, names) => {
  expect([...wantedPorts(env, true).keys()]).toEqual(names);
});

test("npm start ignores the simulator's ports if it does not run", () => {
  expect(wantedPorts({ SIMULATOR_PORT: "8080", PORT: "8080" }, false)).toEqual(new Map([["PORT", 8080]]));
});

test.each([
  [{ PORT: "8080", CONTROL_PORT: "8080" }, "PORT and CONTROL_PORT are both 8080: set one to another port."],
  [{ LEDGER_PORT: "many" }, "LEDGER_PORT must be a number from 0 to 65535, not many."],
])("npm start refuses %j", (env, message) => {
  expect(() => wantedPorts(env, true)).toThrow(message);
});
