import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { root, tools } from "./places.mjs";

/** How often the parent is looked at: npm killed by a signal passes it to nobody. */
const watchMs = 500;

/** Runs a task on Node 24 and ends with its exit status; a signal to us, or our parent's end, is the task's too. */
export function handOver({ node, pnpm, servers }, entry, args) {
  return new Promise((resolve) => {
    const child = spawn(node, [join(root, entry), ...args], {
      stdio: "inherit",
      cwd: root,
      env: {
        ...process.env,
        ...servers,
        PATH: [dirname(node), dirname(pnpm), process.env.PATH ?? ""].join(":"),
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tools, "compile-cache"),
        MODELGATE_PNPM: pnpm,
      },
    });
    const pass = (signal) => child.kill(signal);
    // A terminal sends Ctrl-C to the whole group: the task has it already, and a second one means "at once".
    process.on("SIGINT", () => undefined);
    process.on("SIGTERM", () => pass("SIGTERM"));
    process.on("SIGHUP", () => pass("SIGTERM"));
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid !== parent) pass("SIGTERM");
    }, watchMs);
    child.on("error", (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    });
    child.on("close", (code, signal) => {
      clearInterval(watch);
      process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
      resolve();
    });
  });
}
