import { fork, type ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { listen } from "../http-server.ts";
import { createLogger, type Logger } from "../log.ts";
import { opsHandler, type Readiness } from "../ops.ts";
import type { CommonEnv } from "../service-variables.ts";
import { StartError } from "../start-error.ts";
import { waitForStop } from "./process-state.ts";

export interface Supervision {
  readonly common: CommonEnv;
  readonly workers: number;
  readonly command: (worker: number) => { readonly program: string; readonly args: readonly string[] };
}

/** Pauses in ms before a dead worker is restarted: the first and the longest. They double with each restart. */
const [firstPauseMs, maxPauseMs] = [500, 15_000];
/** Time in ms after which a running worker has recovered: its next pause is `firstPauseMs` again. */
const recoveredAfterMs = 60_000;
const opsTimeoutMs = 2_000;

/** Runs workers until this process gets a stop signal, or a worker fails at its first start. */
export async function supervise({ common, workers, command }: Supervision): Promise<void> {
  const stopped = waitForStop();
  const { log, close } = createLogger("workers", common.logLevel);
  try {
    const all = Array.from({ length: workers }, (_, index) => new Worker(index + 1, command, log));
    const failed = Promise.all(all.map((worker) => worker.started)).then(
      () => new Promise<never>(() => undefined),
      (error: unknown) => error,
    );
    const { innerHost: host, opsPort: port } = common;
    const ops = await listen({ host, port, drainMs: 0, handler: workerProbes(all, host) });
    const ready = Promise.all(all.map((worker) => worker.started)).then(
      () => {
        log.info({ workers, opsPort: ops.port }, "ready");
        if (process.connected) process.send?.({ ready: true, opsPort: ops.port });
      },
      () => undefined,
    );
    const reason = await Promise.race([stopped, failed]);
    if (typeof reason === "string") log.info({ signal: reason }, "draining");
    await Promise.all(all.map((worker) => worker.stop()));
    await ready;
    await ops.drain();
    if (typeof reason !== "string") throw reason;
  } finally {
    await close();
    if (process.connected) process.disconnect?.();
  }
}

class Worker {
  readonly number: number;
  /** Resolves when the worker is ready for the first time. Rejects if it exits before. */
  readonly started: Promise<void>;
  /** Port of the worker's health checks; undefined while the worker is not ready. */
  opsPort: number | undefined;
  readonly #command: Supervision["command"];
  readonly #log: Logger;
  #child: ChildProcess | undefined;
  #over: Promise<void>;
  readonly #stopping = new AbortController();

  constructor(number: number, command: Supervision["command"], log: Logger) {
    this.number = number;
    this.#command = command;
    this.#log = log;
    const started = Promise.withResolvers<void>();
    this.started = started.promise;
    this.started.catch(() => undefined); // `supervise` handles the rejection
    this.#over = this.#run(started);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#child?.kill("SIGTERM");
    await this.#over;
  }

  async #run(started: PromiseWithResolvers<void>): Promise<void> {
    let pauseMs = firstPauseMs;
    let wasReady = false;
    while (!this.#stopping.signal.aborted) {
      const startedAt = performance.now();
      const status = await this.#runOnce(() => {
        wasReady = true;
        started.resolve();
      });
      if (!wasReady) return started.reject(new StartError(`worker ${this.number} did not start`, status));
      if (this.#stopping.signal.aborted) {
        if (status !== 0) process.exitCode = 1;
        return;
      }
      if (performance.now() - startedAt >= recoveredAfterMs) pauseMs = firstPauseMs;
      this.#log.error(
        { worker: this.number, status, pauseMs },
        "a worker exited unexpectedly; it is restarted after a pause",
      );
      await pause(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, maxPauseMs);
    }
    started.resolve();
  }

  async #runOnce(whenReady: () => void): Promise<number> {
    const { program, args } = this.#command(this.number);
    const child = fork(program, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#child = child;
    child.on("message", (message: unknown) => {
      this.opsPort = opsPortIn(message);
      whenReady();
    });
    const { promise: ended, resolve } = Promise.withResolvers<number>();
    child.once("close", (code) => resolve(code ?? 1));
    const status = await ended;
    this.opsPort = undefined;
    return status;
  }
}

function opsPortIn(message: unknown): number | undefined {
  const port = typeof message === "object" && message !== null && "opsPort" in message ? message.opsPort : undefined;
  return typeof port === "number" ? port : undefined;
}

/**
 * Creates the listener for health checks and metrics of all workers. One ready worker is enough, because it serves the
 * shared port.
 */
function workerProbes(workers: readonly Worker[], host: string): ReturnType<typeof opsHandler> {
  const address = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const request = async (
    { opsPort }: Worker,
    path: string,
  ): Promise<{ readonly ok: boolean; readonly text: string }> => {
    if (opsPort === undefined) return { ok: false, text: "not started" };
    try {
      const answer = await fetch(`http://${address}:${opsPort}${path}`, { signal: AbortSignal.timeout(opsTimeoutMs) });
      return { ok: answer.ok, text: await answer.text() };
    } catch {
      return { ok: false, text: "no answer" };
    }
  };
  const readiness = async (): Promise<Readiness> => {
    const answers = await Promise.all(workers.map((worker) => request(worker, "/readyz")));
    return {
      isReady: answers.some(({ ok }) => ok),
      text: answers.map(({ text }, index) => `worker ${index + 1}:\n${text.trim()}`).join("\n"),
    };
  };
  const metrics = async (): Promise<string> => {
    const answers = await Promise.all(workers.map((worker) => request(worker, "/metrics")));
    return mergeMetrics(answers.filter(({ ok }) => ok).map(({ text }) => text));
  };
  return opsHandler({ contentType: "text/plain; version=0.0.4; charset=utf-8", metrics }, readiness);
}

/**
 * Merges the metrics of several processes in Prometheus's text format, which allows only one description per metric.
 * Samples have a label for their worker and are not added up.
 */
export function mergeMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, { readonly head: Set<string>; readonly samples: string[] }>();
  for (const text of texts) {
    let metric: { readonly head: Set<string>; readonly samples: string[] } | undefined;
    for (const line of text.split("\n")) {
      const name = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
      if (name !== undefined) {
        metric = metrics.get(name) ?? { head: new Set(), samples: [] };
        metrics.set(name, metric);
        metric.head.add(line);
      } else if (line !== "") metric?.samples.push(line);
    }
  }
  return [...metrics.values()].map(({ head, samples }) => [...head, ...samples, ""].join("\n")).join("\n");
}
