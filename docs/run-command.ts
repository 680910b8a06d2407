import { execFile } from "node:child_process";
import type { Ended } from "./test/start.ts";

/** Runs a command without input. `output` also contains the errors of a failed one. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly timeout: number; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(command, args, options, (error, stdout, stderr) =>
      resolve({
        status: error === null ? 0 : Number(error.code ?? 1),
        output: error === null ? stdout : stdout + stderr,
      }),
    );
    child.stdin?.end();
  });
}

/** Returns the last line of a command's output. */
export function lastLine({ output }: Ended): string {
  return output.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
}
