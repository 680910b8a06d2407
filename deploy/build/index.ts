import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { currentBuild, markInUse } from "./builds.ts";
import { programIn, root, type ProgramName } from "./programs.ts";

export { sourceProgram } from "./programs.ts";

/** Arguments of the bundling process. It is separate, because the bundler needs much memory. */
const builder = [join(import.meta.dirname, "main.ts")];
/** Maximum ms of the bundling process, which may wait 200 s for another one. */
const options = { encoding: "utf8", timeout: 230_000, killSignal: "SIGKILL" } as const;
const progress = "bundling the programs\n";
let folder: string | undefined;

/** Returns the path of a program in the bundle. Bundles first if a source has changed, but only once per process. */
export function builtProgram(name: ProgramName): string {
  folder ??= withUseMark(currentBuild(root) ?? build());
  return programIn(folder, name);
}

/** Bundles if a source has changed, without blocking this process. */
export async function bundlePrograms(): Promise<void> {
  folder ??= withUseMark(currentBuild(root) ?? (await buildInBackground()));
}

function withUseMark(built: string): string {
  markInUse(built);
  return built;
}

function build(): string {
  process.stderr.write(progress);
  const { status, signal, error, stdout, stderr } = spawnSync(process.execPath, builder, options);
  if (status !== 0) throw failure(stderr, error?.message ?? signal ?? status);
  return stdout;
}

async function buildInBackground(): Promise<string> {
  process.stderr.write(progress);
  try {
    return (await promisify(execFile)(process.execPath, builder, options)).stdout;
  } catch (error) {
    const { stderr, signal, code }: { stderr?: string; signal?: string | null; code?: unknown } = Object(error);
    throw failure(stderr, signal ?? code);
  }
}

function failure(stderr: string | null | undefined, end: unknown): Error {
  return new Error(`The programs could not be bundled (${String(end)}): ${stderr?.trim() ?? ""}`);
}
