import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { onInterrupt, signalGroup, statusOf, throwIfInterrupted } from "./interrupt.mjs";
import { root, tools } from "./places.mjs";

/**
 * Runs a task on Node 24 and exits with its status. In a separate process group, the task gets each signal once, from
 * this process. The IPC channel tells it when this process ends.
 */
export function handOver({ node, pnpm, programs }, entry, args) {
  throwIfInterrupted();
  return new Promise((resolve) => {
    const child = spawn(node, [join(root, entry), ...args], {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      detached: true,
      cwd: root,
      env: {
        ...process.env,
        ...programs,
        PATH: [dirname(node), dirname(pnpm), process.env.PATH ?? ""].join(":"),
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tools, "compile-cache"),
        MODELGATE_PNPM: pnpm,
      },
    });
    onInterrupt((signal) => signalGroup(child.pid, signal));
    child.on("error", (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
      resolve();
    });
    child.on("close", (code, signal) => {
      process.exitCode = code ?? statusOf(signal);
      resolve();
    });
  });
}
