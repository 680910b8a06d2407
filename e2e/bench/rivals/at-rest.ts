import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { recordParser } from "@modelgate/contracts";
import { Redis } from "ioredis";
import { Type } from "typebox";
import { readCpuMicros, readMemory } from "../measure.ts";
import { options } from "../options.ts";
import { withChildren } from "./gateways.ts";

/** Resources of `npm start` without calls. */
export interface AtRest {
  /** Seconds until `npm start` is ready, with the data of an earlier start. */
  readonly startSeconds: number;
  /** Resident memory of the gateway's process, in bytes. */
  readonly memory: number;
  /** CPU time of the gateway's process in ms per second. `cpuOfAll` includes the servers. */
  readonly cpu: number;
  readonly cpuOfAll: number;
  readonly redisCommands: number;
}

const bootstrap = join(import.meta.dirname, "../../../deploy/local/bootstrap.mjs");
/** Wait before the measurement, and its duration, in ms. A start has effects for up to 90 s. */
const [settleMs, restMs] = options.quick ? [20_000, 10_000] : [100_000, 30_000];

/** Runs `npm start` twice with the same data, and measures the second one. */
export async function measureAtRest(): Promise<AtRest> {
  const data = mkdtempSync(join(tmpdir(), "modelgate-rest-"));
  try {
    await (await start(data))[Symbol.asyncDispose]();
    await using second = await start(data);
    const { pid, redisUrl } = readRunFile(readFileSync(join(data, "run.json"), "utf8"));
    const all = withChildren(pid);
    const gateway = all.find((each) => commandOf(each).includes("/gateway.js")) ?? pid;
    await setTimeout(settleMs);
    const redis = new Redis(redisUrl);
    const readCounters = async (): Promise<readonly [one: number, all: number, commands: number]> => [
      readCpuMicros(gateway),
      all.reduce((sum, each) => sum + readCpuMicros(each), 0),
      Number(/total_commands_processed:(\d+)/.exec(await redis.info("stats"))?.[1]),
    ];
    const before = await readCounters();
    await setTimeout(restMs);
    const after = await readCounters();
    redis.disconnect();
    const perSecond = (at: 0 | 1 | 2): number => (after[at] - before[at]) / (restMs / 1_000);
    return {
      startSeconds: second.seconds,
      memory: readMemory(gateway).now,
      cpu: perSecond(0) / 1_000,
      cpuOfAll: perSecond(1) / 1_000,
      redisCommands: perSecond(2),
    };
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Waits until `npm start` is ready. Disposal ends it. */
async function start(data: string): Promise<AsyncDisposable & { readonly seconds: number }> {
  const startedAt = performance.now();
  const env = { ...process.env, MODELGATE_DATA: data, PORT: "0" };
  const child = spawn(process.execPath, [bootstrap, "start"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const ready = new Promise<void>((resolve) => {
    let output = "";
    child.stdout.on("data", (part: Buffer) => {
      output += part.toString();
      if (output.includes("modelgate is ready")) resolve();
    });
  });
  await Promise.race([
    ready,
    ended.then(() => {
      throw new Error("npm start ended before it was ready");
    }),
  ]);
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const readRunFile = recordParser("run file", Type.Object({ pid: Type.Number(), redisUrl: Type.String() }));

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8");
}
