import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, until } from "@modelgate/testkit";

/** Folder of the repository. */
export const root = join(import.meta.dirname, "../..");

/** Result of a program that has ended. */
export interface Ended {
  readonly status: number;
  readonly output: string;
}

/** Demo as `npm start` starts it. */
export interface Demo extends AsyncDisposable {
  readonly address: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  run(command: string, args: readonly string[]): Promise<Ended>;
}

const startsWithinMs = 120_000;
/** Maximum ms of a block. Python SDKs load slowly. */
const runsWithinMs = 240_000;

/** Starts the demo on a free port, with a separate data folder. */
export async function startDemo(): Promise<Demo> {
  const [port = 0] = await freePorts(1);
  const folder = mkdtempSync(join(tmpdir(), "modelgate-docs-"));
  const demoEnv = { PORT: String(port), MODELGATE_DATA: folder, REDIS_URL: "", NATS_URL: "" };
  // Without this variable, LiteLLM loads prices from GitHub when it is imported.
  const env = { ...process.env, ...demoEnv, LITELLM_LOCAL_MODEL_COST_MAP: "True" };
  const npm = spawn("npm", ["start"], { cwd: root, env });
  const ended = new Promise((resolve) => void npm.once("close", resolve));
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await until(
    "npm start to be ready",
    () => {
      if (npm.exitCode !== null) throw new Error(`npm start ended:\n${output}`);
      return output.includes("Ctrl-C ends everything");
    },
    startsWithinMs,
  );
  return {
    address: `127.0.0.1:${port}`,
    env,
    run: (command, args) =>
      new Promise((resolve) => {
        execFile(command, args, { cwd: root, env, timeout: runsWithinMs }, (error, stdout, stderr) => {
          resolve({ status: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
        });
      }),
    async [Symbol.asyncDispose]() {
      npm.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
