import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { throwIfInterrupted } from "./interrupt.mjs";
import { tools, versions } from "./places.mjs";
import { ask, onPath, run } from "./run.mjs";
import { printProgress } from "./progress.mjs";

/** Variable that names Helm; `none` for tests without it. */
const variable = "MODELGATE_HELM";
const module = "helm.sh/helm/v3";
/** Maximum ms for Go to find the module. The sum with `buildMs` must be less than another bootstrap waits (lock.mjs). */
const findMs = 30_000;
const buildMs = 10 * 60_000;

/**
 * Finds Helm for the chart's tests: in the variable, on PATH, or built by Go into `.tools`. Without Helm, tests that
 * render the chart are skipped.
 */
export async function findHelm() {
  if (process.env[variable]) return {};
  const program = (await installed()) ?? (await built());
  if (program !== undefined) return { [variable]: program };
  printProgress(`no Helm: tests that render the chart are skipped (install Helm 3 or Go, or set ${variable} to one)`);
  return {};
}

async function installed() {
  const program = onPath("helm");
  if (program === undefined) return undefined;
  return (await ask(program, ["version", "--short"]))?.startsWith("v3.") ? program : undefined;
}

/** Builds Helm in a temporary folder and moves it, so that an interruption leaves nothing incomplete. */
async function built() {
  const name = `helm-${versions.helm}`;
  const folder = join(tools, name);
  if (existsSync(folder)) return join(folder, "helm");
  const go = onPath("go");
  if (go === undefined) return undefined;
  for (const stale of readdirSync(tools).filter((entry) => entry.startsWith(`${name}.`)))
    rmSync(join(tools, stale), { recursive: true, force: true });
  const making = `${folder}.${process.pid}`;
  const startedAt = performance.now();
  try {
    const specifier = `@v${versions.helm}`;
    await run(go, ["list", "-m", module + specifier], "", { timeout: findMs });
    printProgress("building Helm with Go for the chart's tests (once, some minutes)");
    mkdirSync(making);
    await run(go, ["install", "-trimpath", "-ldflags=-s -w", `${module}/cmd/helm${specifier}`], "", {
      timeout: buildMs,
      env: { ...process.env, GOBIN: making, CGO_ENABLED: "0" },
    });
    renameSync(making, folder);
    printProgress(`Helm took ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    return join(folder, "helm");
  } catch (error) {
    throwIfInterrupted();
    printProgress(`Helm could not be built: ${error.message.trim().split("\n").at(-1)}`);
    return undefined;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
