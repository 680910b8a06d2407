import { join } from "node:path";
import { programsOf, unpack } from "./debian.mjs";
import { isExecutable, onPath } from "./run.mjs";
import { say } from "./say.mjs";

/** Variable that names Prometheus; `none` for a chaos run without alerts. */
const variable = "MODELGATE_PROMETHEUS";

/**
 * Finds the Prometheus that evaluates the alerts of a chaos run, in this order: the one that the variable names, one on
 * PATH, Debian's package unpacked in `.tools`. If there is none, the run has no alerts, and its report says so.
 */
export async function findPrometheus() {
  if (process.env[variable]) return {};
  const installed = onPath("prometheus");
  if (installed !== undefined) return { [variable]: installed };
  const program = join(programsOf("prometheus"), "prometheus");
  if (!isExecutable(program) && onPath("apt-get") !== undefined && onPath("dpkg-deb") !== undefined)
    await unpack("prometheus");
  if (isExecutable(program)) return { [variable]: program };
  say(`no Prometheus for the alerts of a chaos run: install it, or set ${variable} to it`);
  return {};
}
