import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";

const root = join(import.meta.dirname, "../../..");

export interface GatectlResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

type Run = (
  words: readonly string[],
  terminal: {
    readonly stdout: PassThrough;
    readonly stderr: PassThrough;
    readonly env: Environment;
    readonly stdin: PassThrough;
  },
) => Promise<number>;

/** Runs gatectl in this process. */
export async function runGatectl(words: readonly string[], env: Environment): Promise<GatectlResult> {
  // The module is imported by its path, because this package may not depend on control.
  const { runGatectl: run }: { readonly runGatectl: Run } = await import(
    join(root, "services/control/src/gatectl/run.ts")
  );
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  // The output is read while it is written, because an export waits for its reader.
  const [written, errors] = [text(stdout), text(stderr)];
  const status = await run(words, { stdin: new PassThrough(), stdout, stderr, env });
  stdout.end();
  stderr.end();
  return { status, stdout: await written, stderr: await errors };
}
