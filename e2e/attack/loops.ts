import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Suite } from "@modelgate/testkit";

/** Services whose event loops are measured. */
export const watchedServices = ["edge", "text", "media", "video", "audio", "realtime", "control", "ledger"] as const;
export type WatchedService = (typeof watchedServices)[number];

/** Interval in ms of a service's measurements, and measurements per written maximum. */
const [measureMs, measurementsPerLine] = [5, 20];
/** Maximum wait for a service's measurements, and pause between two reads, in ms. */
const [maxWaitMs, pauseMs] = [10_000, 50];

/** Script that runs in every service. It measures CPU time of the thread, so that other processes have no influence. */
const watcherScript = (file: string): string => `
  import { appendFileSync } from "node:fs";
  const own = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1e3; };
  let [before, heldMs, looks] = [undefined, 0, 0];
  setInterval(() => {
    const now = own();
    heldMs = Math.max(heldMs, now - (before ?? now));
    before = now;
    if (++looks % ${measurementsPerLine} > 0) return;
    appendFileSync(${JSON.stringify(file)}, heldMs.toFixed(0) + "\\n");
    heldMs = 0;
  }, ${measureMs}).unref();`;

/** Blocking times of the services' event loops, in ms of CPU time. */
export class EventLoops implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "modelgate-attack-"));
  readonly #read = new Map<WatchedService, number>();
  readonly #worst = new Map<WatchedService, number>();

  readonly #measured: readonly WatchedService[];

  constructor(measured: readonly WatchedService[]) {
    this.#measured = measured;
    for (const service of measured) appendFileSync(this.#file(service), "");
  }

  /** Returns the environment variables with which a service measures its event loop. */
  env(service: WatchedService): Readonly<Record<string, string>> {
    if (!this.#measured.includes(service)) return {};
    return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(watcherScript(this.#file(service)))}` };
  }

  /** Returns the longest blocking time of a service since the last read. */
  async longestBlockedMs(service: WatchedService): Promise<number> {
    await this.#untilWritten([service]);
    return this.#readNewTimes(service);
  }

  async begin(): Promise<void> {
    await this.#untilWritten(this.#measured);
    for (const service of this.#measured) this.#readNewTimes(service);
    this.#worst.clear();
  }

  /** Returns the longest blocking time since `begin`. A service that does not run writes no further measurements. */
  async readWorst(
    running: readonly WatchedService[],
  ): Promise<{ readonly service: WatchedService; readonly ms: number }> {
    await this.#untilWritten(this.#measured.filter((service) => running.includes(service)));
    for (const service of this.#measured) this.#readNewTimes(service);
    const [worst] = [...this.#worst].toSorted(([, some], [, others]) => others - some);
    return { service: worst?.[0] ?? "edge", ms: worst?.[1] ?? 0 };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Waits for two further reports of each service, which then include all earlier times. Returns after a maximum time.
   */
  async #untilWritten(services: readonly WatchedService[]): Promise<void> {
    const before = services.map((service) => this.#lines(service).length);
    const isWritten = (): boolean => services.every((each, at) => this.#lines(each).length >= (before[at] ?? 0) + 2);
    for (const end = Date.now() + maxWaitMs; Date.now() < end && !isWritten();) await wait(pauseMs);
  }

  #lines(service: WatchedService): readonly string[] {
    return readFileSync(this.#file(service), "utf8").split("\n").slice(0, -1);
  }

  #readNewTimes(service: WatchedService): number {
    const lines = this.#lines(service);
    const blocked = Math.max(0, ...lines.slice(this.#read.get(service) ?? 0).map(Number));
    this.#read.set(service, lines.length);
    this.#worst.set(service, Math.max(blocked, this.#worst.get(service) ?? 0));
    return blocked;
  }

  #file(service: WatchedService): string {
    return join(this.#folder, service);
  }
}

/** Returns the resident memory of a service in MiB; 0 if it does not answer. */
export async function residentMebibytes(suite: Suite, service: WatchedService): Promise<number> {
  return (await readGauge(suite, service, "process_resident_memory_bytes").catch(() => 0)) / 1024 / 1024;
}

async function readGauge(suite: Suite, service: WatchedService, name: string): Promise<number> {
  const text = await (await fetch(`${suite.opsUrl(service)}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)?.[1] ?? 0);
}
