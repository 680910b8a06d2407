import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";

/**
 * Runs a service in a separate process and stops it. `open` is the code that opens the service. If a step hangs, the
 * process exits after `endMs`.
 */
async function run(open: string, endMs?: number): Promise<{ readonly status: unknown; readonly printed: string }> {
  const script = `
    import { defineService, runProcess, serviceVariables } from ${JSON.stringify(join(import.meta.dirname, "../src/index.ts"))};
    const never = () => new Promise(() => setInterval(() => undefined, 1_000));
    const serves = { handler: (request, response) => response.end() };
    const variables = serviceVariables("test", () => ({}), { maxDrainMs: 0 });
    const service = defineService("backend", variables, async () => { process.send("opening"); ${open} });
    await runProcess(async () => [service], undefined, ${endMs});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  let printed = "";
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => (printed += piece));
  child.on("message", (message) => {
    // A service that never opens is stopped during its start.
    if (message !== "opening" || open.startsWith("await never")) child.kill("SIGTERM");
  });
  const [status] = await once(child, "close");
  return { status, printed };
}

/** Longer than the start of a service, which must end before the step that hangs. */
const hangMs = 2_000;

test.concurrent.each([
  ["ends with 0 when nothing hangs", "return { serves };", 0, undefined],
  ["that cannot close its connections", "return { serves, close: never };", 1, '"step":"closing connections"'],
  ["whose drain hangs", "return { serves, drain: never };", 1, '"step":"draining"'],
  ["that gets SIGTERM while its start hangs", "await never();", 1, '"step":"starting"'],
])("a service %s", async (_, open, status, expected) => {
  const end = await run(open, expected === undefined ? undefined : hangMs);
  expect(end.status).toBe(status);
  if (expected === undefined) expect(end.printed).not.toContain("hangs");
  else expect(end.printed).toContain(expected);
});
