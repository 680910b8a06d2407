import type { Area } from "@modelgate/contracts";
import { restartFailure } from "../ending.ts";
import { listen, type HttpServer } from "../http-server.ts";
import type { Logger } from "../log.ts";
import type { Registry } from "../metrics.ts";
import { StartError } from "../start-error.ts";
import { opsHandler, type Readiness } from "../ops.ts";
import type { LocalArea } from "./area-server.ts";
import type { DeclaredService, OpenService, Service, ServiceRole } from "./service.ts";
import type { SharedParts } from "./shared.ts";

type ConfiguredService = DeclaredService & Pick<Service, "name" | "role">;

interface DrainedService {
  readonly service: Pick<DeclaredService, "common">;
  readonly open: OpenService;
  /** Ends the service's open calls near the end of the drain. */
  readonly ending: AbortController;
}

interface RunningService extends DrainedService {
  readonly service: ConfiguredService;
}

/** Parameters for the services of a process. */
export interface ProcessContext {
  readonly log: Logger;
  readonly metrics: Registry;
  readonly shared: SharedParts;
  readonly ofService: (name: string) => Logger;
  /** Number of this worker; undefined if the program has only one process. */
  readonly worker: number | undefined;
}

/** Services that accept calls are closed first, services that record them last. */
const closeOrder: readonly ServiceRole[] = ["edge", "area", "backend"];

/** Services of one process, with one port for health checks and metrics. */
export class ProcessServices implements AsyncDisposable {
  readonly #services: readonly ConfiguredService[];
  readonly #context: ProcessContext;
  readonly #areas = new Map<Area, LocalArea>();
  readonly #servers = new Map<string, HttpServer>();
  #opening: readonly Promise<RunningService>[] = [];
  #running: readonly RunningService[] = [];
  #ops: HttpServer | undefined;
  #isDraining = false;

  constructor(services: readonly ConfiguredService[], context: ProcessContext) {
    this.#services = services;
    this.#context = context;
  }

  get drainMs(): number {
    return Math.max(...this.#services.map(({ common }) => common.drainMs));
  }

  get ports(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#servers].map(([name, { port }]) => [name, port]));
  }

  get opsPort(): number {
    return this.#ops?.port ?? 0;
  }

  /** Opens all services. Edges and areas listen when all services are open, backends as soon as they are open. */
  async open(): Promise<void> {
    let backends: Promise<unknown> = Promise.resolve();
    this.#opening = this.#services.map((service) => {
      if (service.role !== "backend") return this.#open(service);
      // Backends are opened one after another, because control calls the ledger while it opens.
      const opening = backends.then(() => this.#open(service));
      backends = opening;
      return opening;
    });
    this.#running = await Promise.all(this.#opening);
    const [first] = this.#services;
    if (first === undefined) return;
    this.#ops = await listen({
      host: first.common.innerHost,
      // A worker listens on any free port; its supervisor has the configured one.
      port: this.#context.worker === undefined ? first.common.opsPort : 0,
      handler: opsHandler(this.#context.metrics, () => this.#readiness()),
      drainMs: 0,
    });
    const later = this.#running.filter(({ service }) => service.role !== "backend" && this.#hasPort(service));
    await Promise.all(later.map((running) => this.#listen(running)));
  }

  /** Stops accepting work, and waits a limited time for open requests. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await drainServices(this.#running, [...this.#servers.values()]);
    await this.#ops?.drain();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isDraining) await this.drain(); // a start that failed may have opened ports
    const settled = await Promise.allSettled(this.#opening);
    const opened = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    for (const role of closeOrder) {
      const ending = opened.filter(({ service }) => service.role === role);
      await Promise.all(ending.map(async ({ open }) => open.close?.()));
    }
  }

  async #open(service: ConfiguredService): Promise<RunningService> {
    const { metrics, shared } = this.#context;
    const ending = new AbortController();
    const log = this.#logOf(service);
    const open = await service.open({ log, metrics, shared, areas: this.#areas, ending: ending.signal });
    if ("area" in open.serves) this.#areas.set(open.serves.area, open.serves);
    const running = { service, open, ending };
    if (service.role === "backend") await this.#listen(running);
    return running;
  }

  #logOf({ name }: ConfiguredService): Logger {
    const { log, ofService } = this.#context;
    return this.#services.length === 1 ? log : ofService(name);
  }

  /** An area in the same process as the edge listens only if a port is configured. */
  #hasPort({ role, common }: ConfiguredService): boolean {
    return role !== "area" || common.port !== 0 || !this.#hasEdge;
  }

  get #hasEdge(): boolean {
    return this.#services.some(({ role }) => role === "edge");
  }

  async #listen({ service, open, ending }: RunningService): Promise<void> {
    const { name, role, common } = service;
    const { host, innerHost, port, drainMs, drainErrorMs } = common;
    const isShared = this.#context.worker !== undefined && role !== "backend";
    if (isShared && port === 0) throw new StartError(`The port of ${name} must be set, because workers share it.`);
    const address = {
      host: role === "edge" ? host : innerHost,
      port,
      drainMs,
      drainErrorMs,
      ending: ending.signal,
      isShared,
      log: this.#logOf(service),
    };
    const { handler, upgrade } = open.serves;
    this.#servers.set(name, await listen({ ...address, isCounted: true, handler, upgrade }));
  }

  async problems(): Promise<Readonly<Record<string, string>>> {
    const states = await this.#states();
    return Object.fromEntries(
      states.flatMap(({ service, problem }) => (problem === undefined ? [] : [[service.name, problem] as const])),
    );
  }

  #states() {
    return Promise.all(this.#running.map(async ({ service, open }) => ({ service, problem: await problemOf(open) })));
  }

  /** Ignores backends in a process with an edge: a ledger that waits for NATS does not prevent calls. */
  async #readiness(): Promise<Readiness> {
    if (this.#isDraining) return { isReady: false, text: "draining" };
    const states = await this.#states();
    const isRequired = ({ role }: ConfiguredService): boolean => role !== "backend" || !this.#hasEdge;
    return {
      isReady: states.every(({ service, problem }) => problem === undefined || !isRequired(service)),
      text: states.map(({ service, problem }) => `${service.name}: ${problem ?? "ready"}`).join("\n"),
    };
  }
}

/** Stops accepting work, and resolves when all open work has ended. Near the end of the drain, open calls are ended. */
export async function drainServices(
  services: readonly DrainedService[],
  servers: readonly HttpServer[],
): Promise<void> {
  const timers = services.map(({ ending, service: { common } }) =>
    setTimeout(() => ending.abort(restartFailure()), common.drainMs - common.drainErrorMs),
  );
  await Promise.all([...services.map(({ open }) => open.drain?.()), ...servers.map((server) => server.drain())]);
  for (const timer of timers) clearTimeout(timer);
}

async function problemOf({ ready }: OpenService): Promise<string | undefined> {
  try {
    await ready?.();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
