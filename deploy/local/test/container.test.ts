import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { spawnContainer } from "../container.ts";
import { bareCheckout } from "./bare-checkout.ts";

/** Returns a docker program that records its arguments. Its containers run until their client ends. */
const docker = (callsFile: string): string => `#!/bin/sh
echo "$@" >> ${callsFile}
case "$1" in info) echo "[name=seccomp,profile=builtin]";; run) exec sleep 60;; image) exit 1;; esac
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-container-"));
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/docker"), docker(join(folder, "calls")));
  chmodSync(join(folder, "bin/docker"), 0o755);
  vi.stubEnv("PATH", `${join(folder, "bin")}${delimiter}${process.env["PATH"] ?? ""}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const dockerCalls = (): readonly string[] => readFileSync(join(folder, "calls"), "utf8").trim().split("\n");

test.each(["SIGTERM", "SIGKILL"] as const)(
  "a container replaces its predecessor, keeps its files here, and is removed after %s to its client",
  async (signal) => {
    const data = join(folder, "redis");
    const options = { name: "redis", image: "redis:7-alpine", command: "redis-server", args: ["--save", ""] };
    const child = spawnContainer({ ...options, port: 40_001, containerPort: 6379, folder: data });
    await vi.waitFor(() => expect(dockerCalls()).toHaveLength(3), { timeout: 60_000 });
    child.signal(signal);
    await child.ended;
    const [before = "", , run = "", after] = dockerCalls();
    expect(before).toMatch(/^rm --force modelgate-redis-[0-9a-f]{12}$/);
    expect(after).toBe(before);
    const name = before.replace("rm --force ", "");
    expect(run).toContain(`run --rm --name ${name} --user ${process.getuid?.()}:${process.getgid?.()} `);
    expect(run).toContain(`--publish 127.0.0.1:40001:6379 --volume ${data}:/data`);
    expect(run).toContain("--entrypoint redis-server redis:7-alpine --save");
  },
);

test("a missing image is pulled during preparation, before any server starts", () => {
  using checkout = bareCheckout();
  checkout.program("docker", docker(checkout.path("calls")).split("\n").slice(1).join("\n"));
  const script = `import("./deploy/local/bootstrap/servers.mjs").then(({ findServers }) => findServers())
    .then((found) => console.log(JSON.stringify(found)))`;
  const env = "process.env.MODELGATE_REDIS_SERVER = 'docker:redis:8'; process.env.NATS_URL = 'nats://elsewhere';";
  const { stdout, stderr } = checkout.node("-e", `${env} ${script}`);
  expect(stderr).toBe("pulling the image redis:8 (once)\n");
  expect(JSON.parse(stdout)).toEqual({ MODELGATE_REDIS_SERVER: "docker:redis:8" });
  expect(readFileSync(checkout.path("calls"), "utf8")).toContain("pull --quiet redis:8\n");
});
