import { join } from "node:path";
import { programsOf, unpack } from "./debian.mjs";
import { isExecutable, onPath } from "./run.mjs";
import { printProgress } from "./progress.mjs";

/** Variable that names Prometheus; `none` for a chaos run without alerts. */
const variable = "MODELGATE_PROMETHEUS";

/**
 * Finds Prometheus for a chaos run: in the variable, on PATH, or from Debian's package in `.tools`. Without it, the run
 * has no alerts.
 */
export async function findPrometheus() {
  if (process.env[variable]) return {};
  const installed = onPath("prometheus");
  if (installed !== undefined) return { [variable]: installed };
  const program = join(programsOf("prometheus"), "prometheus");
  if (!isExecutable(program) && onPath("apt-get") !== undefined && onPath("dpkg-deb") !== undefined)
    await unpack("prometheus");
  if (isExecutable(program)) return { [variable]: program };
  printProgress(`no Prometheus for the alerts of a chaos run: install it, or set ${variable} to it`);
  return {};
}
