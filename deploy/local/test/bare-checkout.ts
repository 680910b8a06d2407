import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** Copy of the bootstrap in a separate folder, with other programs first on PATH. */
export interface BareCheckout extends Disposable {
  path(...parts: readonly string[]): string;
  /** Adds a shell script to the checkout's PATH. */
  program(name: string, script: string): void;
  node(...words: readonly string[]): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  };
  start(...words: readonly string[]): ChildProcess;
  tools(): readonly string[];
}

/** Path of the bootstrap in the repository. */
export const bootstrap = "deploy/local/bootstrap.mjs";

/** Creates a checkout with scripts instead of all programs. */
export function bareCheckout(name = "modelgate-bare-"): BareCheckout {
  const folder = mkdtempSync(join(tmpdir(), name));
  const path = (...parts: readonly string[]): string => join(folder, ...parts);
  for (const part of [bootstrap, "deploy/local/bootstrap", "deploy/build/claim.mjs"])
    cpSync(join(root, part), path(part), { recursive: true });
  for (const folderName of ["libs", "services", "bin"]) mkdirSync(path(folderName));
  for (const fileName of ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml"]) writeFileSync(path(fileName), "{}");
  const program = (programName: string, script: string): void => {
    writeFileSync(path("bin", programName), `#!/bin/sh\n${script}\n`);
    chmodSync(path("bin", programName), 0o755);
  };
  program("npm", "echo npm was called >&2; exit 1");
  program("pnpm", installing("true"));
  for (const server of ["redis-server", "nats-server", "chromium", "postgres", "prometheus"]) program(server, "exit 0");
  program("helm", "echo v3.0.0");
  const spawnOptions = { cwd: folder, env: { PATH: `${path("bin")}:/usr/bin:/bin`, MODELGATE_PYTHON: "none" } };
  return {
    path,
    program,
    node: (...words) => spawnSync(process.execPath, words, { ...spawnOptions, encoding: "utf8" }),
    start: (...words) => spawn(process.execPath, words, spawnOptions),
    tools: () => (existsSync(path(".tools")) ? readdirSync(path(".tools")) : []),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Returns a pnpm script that runs `script` instead of installing. */
export function installing(script: string): string {
  return `if [ "$1" = --version ]; then echo 12.21.0; else mkdir -p node_modules; ${script}; fi`;
}
