import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { freePorts } from "../ports.ts";

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
