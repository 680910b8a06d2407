// Entry point of all tasks. Runs on any Node from 20 on, without packages. Installs missing tools and starts the task
// on Node 24.
// node deploy/local/bootstrap.mjs start | test | bench | chaos | restarts | soak | attack | docs | gatectl … | prepare
import { fail } from "./bootstrap/progress.mjs";
import { Interrupted, watchForInterrupts } from "./bootstrap/interrupt.mjs";
import { locked } from "./bootstrap/lock.mjs";
import { findNode, findPnpm } from "./bootstrap/runtime.mjs";
import { installPackages } from "./bootstrap/packages.mjs";
import { findServers } from "./bootstrap/servers.mjs";
import { findChromium } from "./bootstrap/chromium.mjs";
import { findHelm } from "./bootstrap/helm.mjs";
import { findPostgres } from "./bootstrap/postgres.mjs";
import { findPrometheus } from "./bootstrap/prometheus.mjs";
import { findPython } from "./bootstrap/python.mjs";
import { handOver } from "./bootstrap/hand-over.mjs";

/** Program of each task, and the tools that it needs. */
const tasks = {
  start: { entry: "deploy/local/start.ts", servers: true },
  test: { entry: "deploy/local/test.ts", servers: true, postgres: true, browser: true, python: true, helm: true },
  bench: { entry: "e2e/bench/main.ts", servers: true, postgres: true },
  chaos: { entry: "e2e/chaos/main.ts", servers: true, postgres: true, prometheus: true },
  soak: { entry: "e2e/soak/main.ts", servers: true },
  docs: { entry: "docs/main.ts", servers: false },
  restarts: { entry: "e2e/restarts/main.ts", servers: true },
  attack: { entry: "e2e/attack/main.ts", servers: true },
  gatectl: { entry: "deploy/local/gatectl.ts", servers: false },
  prepare: {
    entry: undefined,
    servers: true,
    postgres: true,
    browser: true,
    prometheus: true,
    python: true,
    helm: true,
  },
};

const [name = "", ...args] = process.argv.slice(2);
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;

watchForInterrupts();
try {
  if (task === undefined)
    throw new Error(`There is no task ${JSON.stringify(name)}; tasks: ${Object.keys(tasks).join(", ")}.`);
  const ready = await locked(async () => {
    const node = await findNode();
    const pnpm = await findPnpm();
    await installPackages(node, pnpm);
    const servers = task.servers ? await findServers() : {};
    const postgres = task.postgres ? await findPostgres() : {};
    const browser = task.browser ? await findChromium() : {};
    const prometheus = task.prometheus ? await findPrometheus() : {};
    const python = task.python ? await findPython() : {};
    const helm = task.helm ? await findHelm() : {};
    return { node, pnpm, programs: { ...servers, ...postgres, ...browser, ...prometheus, ...python, ...helm } };
  });
  if (task.entry !== undefined) await handOver(ready, task.entry, args);
} catch (error) {
  // Ctrl-C is the normal end of `npm start`, but not of other tasks.
  if (error instanceof Interrupted) process.exitCode = name === "start" ? 0 : error.status;
  else fail(error);
}
