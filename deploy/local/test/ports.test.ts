import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { freePorts } from "../ports.ts";

const run = promisify(execFile);

test("no port is given to two processes, also before anybody listens on it", async () => {
  const ours = await freePorts(3_000);
  const ask = `
    import { freePorts } from ${JSON.stringify(new URL("../ports.ts", import.meta.url).href)};
    console.log(JSON.stringify(await freePorts(3_000)));
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", ask]);
  const theirs: readonly number[] = JSON.parse(stdout);
  expect(theirs).toHaveLength(3_000);
  expect(new Set([...ours, ...theirs]).size).toBe(6_000);
});
