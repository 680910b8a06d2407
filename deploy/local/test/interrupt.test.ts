import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { spawn, type ChildProcess } from "node:child_process";
import { expect, test, vi } from "vitest";
import { bareCheckout, bootstrap, installing, type BareCheckout } from "./bare-checkout.ts";

const ended = (child: ChildProcess): Promise<number | string | null> =>
  new Promise((resolve) => child.once("close", (status, signal) => resolve(status ?? signal)));

const until = (what: () => void): Promise<void> => vi.waitFor(what, { timeout: 60_000, interval: 20 });

/** Waits until a program has written its process id into a file. */
async function pidIn(checkout: BareCheckout, file: string): Promise<number> {
  await until(() => expect(readFileSync(checkout.path(file), "utf8")).toMatch(/^\d+\n$/));
  return Number(readFileSync(checkout.path(file), "utf8"));
}

/** Fails if a process runs. A zombie does not run. */
function expectGone(pid: number): void {
  const living = existsSync(`/proc/${pid}/stat`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  expect(living, `process ${pid} lives`).toBe(false);
}

/** pnpm script that never ends, and has a child process. */
const forEver = installing("sleep 300 & echo $! > child; echo $$ > pnpm; wait");

test.concurrent.each([
  { task: "prepare", signal: "SIGTERM", status: 143 },
  { task: "prepare", signal: "SIGINT", status: 130 },
  { task: "test", signal: "SIGHUP", status: 143 },
  // Ctrl-C is the normal end of `npm start`, also during the preparation.
  { task: "start", signal: "SIGINT", status: 0 },
] as const)("$signal during `$task` ends its programs, and leaves no lock", async ({ task, signal, status }) => {
  using checkout = bareCheckout();
  checkout.program("pnpm", forEver);
  const child = checkout.start(bootstrap, task);
  const pids = [await pidIn(checkout, "pnpm"), await pidIn(checkout, "child")];
  expect(checkout.tools()).toEqual([expect.stringMatching(/^lock\./)]);
  child.kill(signal);
  expect(await ended(child)).toBe(status);
  await until(() => pids.forEach(expectGone));
  expect(checkout.tools()).toEqual([]);
});

test.concurrent("a process that ignores the interrupt is killed", async () => {
  using checkout = bareCheckout();
  checkout.program("pnpm", installing("trap '' TERM; echo $$ > pnpm; sleep 300 & wait; sleep 300"));
  const child = checkout.start(bootstrap, "prepare");
  const pid = await pidIn(checkout, "pnpm");
  child.kill("SIGTERM");
  expect(await ended(child)).toBe(143);
  await until(() => expectGone(pid));
});

test.concurrent("the end of the parent process ends the preparation too", async () => {
  using checkout = bareCheckout();
  checkout.program("pnpm", forEver);
  checkout.program("parent", `"$@" & echo $! > bootstrap; wait`);
  const parent = spawn(checkout.path("bin/parent"), [process.execPath, bootstrap, "prepare"], {
    cwd: checkout.path(),
    env: { PATH: `${checkout.path("bin")}:/usr/bin:/bin` },
  });
  const pids = [await pidIn(checkout, "bootstrap"), await pidIn(checkout, "pnpm"), await pidIn(checkout, "child")];
  parent.kill("SIGKILL");
  await until(() => pids.forEach(expectGone));
  expect(checkout.tools()).toEqual([]);
});

/** Returns a task that records its signals, and ends on the signal `last`. */
const listening = (last: string): string => `
import { appendFileSync, writeFileSync } from "node:fs";
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    appendFileSync("received", signal + "\\n");
    if (signal === "${last}") setTimeout(() => process.exit(7), 50);
  });
process.once("disconnect", () => process.exit(8));
setInterval(() => undefined, 1_000);
writeFileSync("task", process.pid + "\\n");
`;

test.concurrent.each([
  { sent: ["SIGINT"], received: "SIGINT\n" },
  { sent: ["SIGTERM"], received: "SIGTERM\n" },
  { sent: ["SIGHUP"], received: "SIGTERM\n" },
  // A terminal sends SIGINT to all processes, and npm forwards it, so the bootstrap gets it twice.
  { sent: ["SIGINT", "SIGINT"], received: "SIGINT\n" },
] as const)("$sent to the bootstrap alone is forwarded to the task once", async ({ sent, received }) => {
  using checkout = bareCheckout();
  writeFileSync(checkout.path("deploy/local/start.ts"), listening(received.trim()));
  const child = checkout.start(bootstrap, "start");
  await pidIn(checkout, "task");
  for (const signal of sent) child.kill(signal);
  expect(await ended(child)).toBe(7);
  expect(readFileSync(checkout.path("received"), "utf8")).toBe(received);
});

test.concurrent("a task is notified when the bootstrap is killed", async () => {
  using checkout = bareCheckout();
  writeFileSync(checkout.path("deploy/local/start.ts"), listening("SIGTERM"));
  const child = checkout.start(bootstrap, "start");
  const task = await pidIn(checkout, "task");
  child.kill("SIGKILL");
  await until(() => expectGone(task));
});
