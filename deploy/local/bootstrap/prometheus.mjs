import { join } from "node:path";
import { programsOf, unpack } from "./debian.mjs";
import { isExecutable, onPath } from "./run.mjs";
import { say } from "./say.mjs";

/** Where Prometheus is named; `none` for a chaos run without alerts. */
const variable = "MODELGATE_PROMETHEUS";

/**
 * The Prometheus that evaluates the alerts of a chaos run, in this order: the one that is named, one on PATH, Debian's own
 * unpacked in `.tools`. Where there is none the alerts are left out of the run, and their rows say so.
 */
export async function findPrometheus() {
  if (process.env[variable]) return {};
  const there = onPath("prometheus");
  if (there !== undefined) return { [variable]: there };
  const program = join(programsOf("prometheus"), "prometheus");
  if (!isExecutable(program) && onPath("apt-get") !== undefined && onPath("dpkg-deb") !== undefined)
    await unpack("prometheus");
  if (isExecutable(program)) return { [variable]: program };
  say(`no Prometheus for the alerts of a chaos run: install it, or name it by ${variable}`);
  return {};
}
