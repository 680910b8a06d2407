import { spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = join(import.meta.dirname, "../../../.ci/run");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-ci-"));
  for (const folderName of [".ci", "bin", "engine"]) mkdirSync(join(folder, folderName));
  cpSync(script, join(folder, ".ci/run"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = (name: string, text: string): void => {
  writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, "bin", name), 0o755);
};

test.each([0, 3])("another user's Docker is not changed, and the exit status is that of the tests (%i)", (status) => {
  program("docker", `echo "$@" >> ${join(folder, "docker-calls")}; echo container`);
  program("npm", `[ "$1" != test ] || exit ${status}`);
  // A killed engine has left the file with its process id, which another process has now.
  const other = spawn("sleep", ["60"]);
  try {
    writeFileSync(join(folder, "engine/dockerd.pid"), `${other.pid}\n`);
    const ended = spawnSync(join(folder, ".ci/run"), {
      env: {
        PATH: `${join(folder, "bin")}:/usr/bin:/bin`,
        DOCKER_HOST: "unix:///nowhere/docker.sock",
        CI_DOCKER_FOLDER: join(folder, "engine"),
      },
    });
    expect(ended.status).toBe(status);
    expect(existsSync(join(folder, "docker-calls")) ? readFileSync(join(folder, "docker-calls"), "utf8") : "").toBe("");
    expect(() => process.kill(other.pid ?? 0, 0)).not.toThrow();
    expect(other.exitCode ?? other.signalCode).toBeNull();
  } finally {
    other.kill();
  }
});
