import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtProgram } from "@modelgate/build";
import { freePorts, type Child } from "@modelgate/deploy/local";
import { limitsVariable, quickRecording, withLimits, type Limits } from "./limits/limits.ts";
import { finishService, spawnWarm } from "./warm/pool.ts";

/** Process of a single service. `stop` ends it; disposal lets the next test reuse it. */
export interface AloneService extends Child, AsyncDisposable {
  readonly url: string;
  readonly opsUrl: string;
}

/**
 * Starts one service as a process, and waits until it is ready. The name `gateway` means several services in one
 * process.
 */
export async function startServiceAlone(
  name: string,
  env: Readonly<Record<string, string>>,
  limits: Limits = {},
): Promise<AloneService> {
  const [port = 0, opsPort = 0] = await freePorts(2);
  const prefix = (name === "gateway" ? "edge" : name).toUpperCase();
  const dataFolder = mkdtempSync(join(tmpdir(), "modelgate-alone-"));
  const { child, ready } = spawnWarm({
    name,
    command: process.execPath,
    args: [builtProgram(name === "simulator" ? name : "limited")],
    env: {
      HOST: "127.0.0.1",
      [`${prefix}_PORT`]: String(port),
      [`${prefix}_OPS_PORT`]: String(opsPort),
      MODELGATE_DATA: dataFolder,
      ...(name === "simulator" || name === "gateway" ? {} : { MODELGATE_SERVICES: name }),
      [limitsVariable]: JSON.stringify(withLimits(quickRecording, limits)),
      ...env,
    },
  });
  void child.ended.then(() => rmSync(dataFolder, { recursive: true, force: true }));
  await ready;
  return Object.assign(child, {
    url: `http://127.0.0.1:${port}`,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    [Symbol.asyncDispose]: () => finishService(child),
  });
}
