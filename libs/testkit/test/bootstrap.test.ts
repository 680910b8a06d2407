import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../src/index.ts";

const root = join(import.meta.dirname, "../../..");

test("the lock file names no registry host", () => {
  expect(readFileSync(join(root, "pnpm-lock.yaml"), "utf8")).not.toMatch(/https?:\/\/|tarball/);
});

/** Tests in a checkout without installed tools, with an npm program that records its calls. */
describe("in a bare checkout", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "modelgate-bare-"));
    cpSync(join(root, "deploy/local/bootstrap.mjs"), join(folder, "deploy/local/bootstrap.mjs"));
    cpSync(join(root, "deploy/local/bootstrap"), join(folder, "deploy/local/bootstrap"), { recursive: true });
    cpSync(join(root, "deploy/build/claim.mjs"), join(folder, "deploy/build/claim.mjs"));
    for (const name of ["libs", "services", "bin"]) mkdirSync(join(folder, name));
    for (const name of ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml"])
      writeFileSync(join(folder, name), "{}");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Writes a program into the folder of the checkout's PATH. */
  const program = (name: string, script: string): void => {
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, "bin", name), 0o755);
  };
  const args = (task: string): readonly string[] => ["deploy/local/bootstrap.mjs", task];
  const environment = () => ({
    cwd: folder,
    env: { PATH: `${join(folder, "bin")}:/usr/bin:/bin`, MODELGATE_PYTHON: "none" },
  });
  const bootstrap = (task: string) => spawnSync(process.execPath, args(task), { ...environment(), encoding: "utf8" });
  const tools = (): readonly string[] =>
    existsSync(join(folder, ".tools")) ? readdirSync(join(folder, ".tools")) : [];

  test("a kill in the middle leaves nothing that looks complete, and the next run continues", async () => {
    program("npm", "touch asked; sleep 60");
    const child = spawn(process.execPath, args("prepare"), environment());
    await until("npm to be called", () => existsSync(join(folder, "asked")));
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
    expect(tools()).not.toContain("pnpm-12.21.0");
    program("npm", "echo 'no network here' >&2; exit 1");
    const { status, stderr } = bootstrap("prepare");
    expect(status).toBe(1);
    expect(stderr).toContain("pnpm could not be downloaded from npm: install it yourself");
    expect(stderr).toContain("no network here");
    expect(tools()).not.toContain("lock");
  });

  test("installed programs are used, and nothing is downloaded", () => {
    program("npm", "echo npm was asked >&2; exit 1");
    program("pnpm", 'if [ "$1" = --version ]; then echo 12.21.0; else mkdir -p node_modules && echo installed; fi');
    for (const name of ["redis-server", "nats-server", "chromium", "postgres", "prometheus"]) program(name, "exit 0");
    program("helm", "echo v3.18.6");
    const { status, stdout, stderr } = bootstrap("prepare");
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "installing packages\n" });
    expect(tools()).toEqual([]);
    const again = bootstrap("prepare");
    expect(again.stderr).toBe("");
  });

  test("an unknown task is reported in one clear sentence", () => {
    const { status, stderr } = bootstrap("fly");
    expect(status).toBe(1);
    expect(stderr).toBe(
      'There is no task "fly"; tasks: start, test, bench, chaos, soak, docs, restarts, attack, gatectl, prepare.\n',
    );
  });
});
