import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startSuite } from "@modelgate/testkit";
import { parse } from "yaml";
import { quickLimits } from "../../services/video/test/films.ts";

/** Folder of the repository. */
export const root = join(import.meta.dirname, "../..");

/** Result of a program that has ended. */
export interface Ended {
  readonly status: number;
  readonly output: string;
}

/** Gateway with the configuration of `npm start`. */
export interface Demo extends AsyncDisposable {
  readonly address: string;
  /** Environment of programs, with the address and the secret by which gatectl reaches this gateway. */
  readonly env: Readonly<Record<string, string | undefined>>;
  run(command: string, args: readonly string[], place?: Partial<Place>): Promise<Ended>;
}

interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Maximum ms of a block. Python SDKs load slowly. */
const runsWithinMs = 240_000;

/** Starts a gateway whose configuration is in its books, as `npm start` does. */
export async function startDemo(): Promise<Demo> {
  const seed = join(root, "deploy/config/demo.yaml");
  const config: object = parse(readFileSync(seed, "utf8"));
  const suite = await startSuite({
    config,
    env: { MODELGATE_CONFIG: "", MODELGATE_SEED: seed },
    limits: quickLimits,
  });
  const operator = { CONTROL_URL: suite.controlUrl, MODELGATE_SECRET: suite.secret };
  // Without this variable, LiteLLM loads prices from GitHub when it is imported.
  const env = { ...process.env, ...operator, LITELLM_LOCAL_MODEL_COST_MAP: "True" };
  return {
    address: new URL(suite.edgeUrl).host,
    env,
    run: (command, args, { folder = root, env: more = {} } = {}) =>
      new Promise((resolve) => {
        execFile(
          command,
          args,
          { cwd: folder, env: { ...env, ...more }, timeout: runsWithinMs },
          (error, stdout, stderr) => {
            resolve({ status: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
          },
        );
      }),
    [Symbol.asyncDispose]: () => suite[Symbol.asyncDispose](),
  };
}
