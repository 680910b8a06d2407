import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Suite } from "@modelgate/testkit";

/** Services whose event loops are watched: all that take a client's or a vendor's bytes. */
export const watchedServices = ["edge", "text", "media", "video", "audio", "realtime", "control", "ledger"] as const;
export type WatchedService = (typeof watchedServices)[number];

/** How often a service looks at its own loop, and after how many looks it writes down the longest hold. */
const [lookMs, looksPerLine] = [5, 20];
/** Longest wait for a service to write down what is over, and the pause between two looks: it may be starved. */
const [writtenMs, pauseMs] = [10_000, 50];

/**
 * Runs in every service: CPU time of the loop's own thread between two rounds of the loop. What other processes take of
 * the machine does not count.
 */
const watching = (file: string): string => `
  import { appendFileSync } from "node:fs";
  const own = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1e3; };
  let [before, heldMs, looks] = [undefined, 0, 0];
  setInterval(() => {
    const now = own();
    heldMs = Math.max(heldMs, now - (before ?? now));
    before = now;
    if (++looks % ${looksPerLine} > 0) return;
    appendFileSync(${JSON.stringify(file)}, heldMs.toFixed(0) + "\\n");
    heldMs = 0;
  }, ${lookMs}).unref();`;

/** How long services' event loops were held, by their CPU time. Each answer for a service begins a new time. */
export class Loops implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "modelgate-attack-"));
  readonly #read = new Map<WatchedService, number>();
  readonly #worst = new Map<WatchedService, number>();

  constructor() {
    for (const service of watchedServices) appendFileSync(this.#file(service), "");
  }

  /** The environment that has a service watch its own loop. */
  env(service: WatchedService): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(watching(this.#file(service)))}` };
  }

  /** The longest that a service's loop was held since it was asked last, in ms of CPU time. */
  async hold(service: WatchedService): Promise<number> {
    await this.#written([service]);
    return this.#take(service);
  }

  /** Begins anew for all of them. */
  async begin(): Promise<void> {
    await this.#written(watchedServices);
    for (const service of watchedServices) this.#take(service);
    this.#worst.clear();
  }

  /** The longest hold since `begin`, and whose. */
  async worst(): Promise<{ readonly service: WatchedService; readonly ms: number }> {
    await this.#written(watchedServices);
    for (const service of watchedServices) this.#take(service);
    const [worst] = [...this.#worst].toSorted(([, some], [, others]) => others - some);
    return { service: worst?.[0] ?? "edge", ms: worst?.[1] ?? 0 };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Waits until services have written two more lines each, so that every hold that is over now is in one; or for too long. */
  async #written(services: readonly WatchedService[]): Promise<void> {
    const before = services.map((service) => this.#lines(service).length);
    const isWritten = (): boolean => services.every((each, at) => this.#lines(each).length >= (before[at] ?? 0) + 2);
    for (const end = Date.now() + writtenMs; Date.now() < end && !isWritten();) await wait(pauseMs);
  }

  #lines(service: WatchedService): readonly string[] {
    return readFileSync(this.#file(service), "utf8").split("\n").slice(0, -1);
  }

  #take(service: WatchedService): number {
    const lines = this.#lines(service);
    const held = Math.max(0, ...lines.slice(this.#read.get(service) ?? 0).map(Number));
    this.#read.set(service, lines.length);
    this.#worst.set(service, Math.max(held, this.#worst.get(service) ?? 0));
    return held;
  }

  #file(service: WatchedService): string {
    return join(this.#folder, service);
  }
}

/** Resident memory of a service, in MiB, as it says itself; 0 where it does not answer. */
export async function residentMebibytes(suite: Suite, service: WatchedService): Promise<number> {
  return (await gauge(suite, service, "process_resident_memory_bytes").catch(() => 0)) / 1024 / 1024;
}

async function gauge(suite: Suite, service: WatchedService, name: string): Promise<number> {
  const text = await (await fetch(`${suite.opsUrl(service)}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)?.[1] ?? 0);
}
