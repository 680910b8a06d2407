import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { currentBuild } from "./builds.ts";
import { programIn, root, type ProgramName } from "./programs.ts";

export { sourceProgram } from "./programs.ts";

/** Arguments of the process that bundles. It is a separate one, because the bundler needs much memory. */
const builder = [join(import.meta.dirname, "main.ts")];
let folder: string | undefined;

/**
 * Returns the path of a program in the bundle. Bundles first if a source has changed. A process continues to use the
 * bundle that it found first.
 */
export function builtProgram(name: ProgramName): string {
  folder ??= currentBuild(root) ?? build();
  return programIn(folder, name);
}

/** Bundles if a source has changed, while this process does other work. */
export async function bundlePrograms(): Promise<void> {
  folder ??= currentBuild(root) ?? (await promisify(execFile)(process.execPath, builder)).stdout;
}

function build(): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, builder, { encoding: "utf8" });
  if (status !== 0) throw new Error(`The programs could not be bundled: ${stderr.trim()}`);
  return stdout;
}
