import type { Area } from "@modelgate/contracts";
import { restarting } from "../ending.ts";
import { listen, type HttpServer } from "../http-server.ts";
import type { Logger } from "../log.ts";
import type { Registry } from "../metrics.ts";
import { StartError } from "../start-error.ts";
import { opsHandler, type Readiness } from "../ops.ts";
import type { LocalArea } from "./area-server.ts";
import type { DeclaredService, OpenService, Service, ServiceRole } from "./service.ts";
import type { Shared } from "./shared.ts";

/** A service of this process whose variables were read. */
type Declared = DeclaredService & Pick<Service, "name" | "role">;

interface Running {
  readonly service: Declared;
  readonly open: OpenService;
  /** Aborted near the end of the service's drain. */
  readonly ending: AbortController;
}

/** Dependencies that the services of a process are opened with. */
export interface Surroundings {
  readonly log: Logger;
  readonly metrics: Registry;
  readonly shared: Shared;
  /** Returns the log of one service. */
  readonly ofService: (name: string) => Logger;
  /** Number of this process among the workers of its program, which share ports. */
  readonly worker: number | undefined;
}

/** Order in which services end: first those that accept calls, last those that record them. */
const endOrder: readonly ServiceRole[] = ["edge", "area", "backend"];

/** The services that one process runs, with one port for probes. */
export class ProcessServices implements AsyncDisposable {
  readonly #services: readonly Declared[];
  readonly #surroundings: Surroundings;
  readonly #areas = new Map<Area, LocalArea>();
  readonly #servers = new Map<string, HttpServer>();
  #opening: readonly Promise<Running>[] = [];
  #running: readonly Running[] = [];
  #ops: HttpServer | undefined;
  #isDraining = false;

  constructor(services: readonly Declared[], surroundings: Surroundings) {
    this.#services = services;
    this.#surroundings = surroundings;
  }

  /** Maximum ms of the drain. */
  get drainMs(): number {
    return Math.max(...this.#services.map(({ frame }) => frame.drainMs));
  }

  /** Ports that are listened on, by service. */
  get ports(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#servers].map(([name, { port }]) => [name, port]));
  }

  get opsPort(): number {
    return this.#ops?.port ?? 0;
  }

  /**
   * Opens the services, concurrently where possible. Clients are accepted when all are open; backends answer
   * immediately.
   */
  async open(): Promise<void> {
    let backends: Promise<unknown> = Promise.resolve();
    this.#opening = this.#services.map((service) => {
      if (service.role !== "backend") return this.#open(service);
      // Backends are opened in order, because control calls the ledger while it opens.
      const opening = backends.then(() => this.#open(service));
      backends = opening;
      return opening;
    });
    this.#running = await Promise.all(this.#opening);
    const [first] = this.#services;
    if (first === undefined) return;
    this.#ops = await listen({
      host: first.frame.innerHost,
      port: this.#surroundings.worker === undefined ? first.frame.opsPort : 0, // the supervisor has the known port
      handler: opsHandler(this.#surroundings.metrics, () => this.#readiness()),
      drainMs: 0,
    });
    const later = this.#running.filter(({ service }) => service.role !== "backend" && this.#hasPort(service));
    await Promise.all(later.map((running) => this.#listen(running)));
  }

  /** Accepts no more work, and waits a limited time for open requests. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const farewells = this.#running.map(({ ending, service: { frame } }) =>
      setTimeout(() => ending.abort(restarting()), frame.drainMs - frame.farewellMs),
    );
    await Promise.all([
      ...this.#running.map(({ open }) => open.drain?.()),
      ...[...this.#servers.values()].map((server) => server.drain()),
    ]);
    for (const farewell of farewells) clearTimeout(farewell);
    await this.#ops?.drain();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isDraining) await this.drain(); // a start that failed has ports, too
    const settled = await Promise.allSettled(this.#opening);
    const opened = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    for (const role of endOrder) {
      const ending = opened.filter(({ service }) => service.role === role);
      await Promise.all(ending.map(async ({ open }) => open.close?.()));
    }
  }

  async #open(service: Declared): Promise<Running> {
    const { log, metrics, shared, ofService } = this.#surroundings;
    const ownLog = this.#services.length === 1 ? log : ofService(service.name);
    const ending = new AbortController();
    const open = await service.open({ log: ownLog, metrics, shared, areas: this.#areas, ending: ending.signal });
    if ("area" in open.serves) this.#areas.set(open.serves.area, open.serves);
    const running = { service, open, ending };
    if (service.role === "backend") await this.#listen(running);
    return running;
  }

  /**
   * Returns whether a service listens on a port. An area behind the edge of its process does so only if a port is
   * configured for edges of other processes.
   */
  #hasPort({ role, frame }: Declared): boolean {
    return role !== "area" || frame.port !== 0 || !this.#hasEdge;
  }

  get #hasEdge(): boolean {
    return this.#services.some(({ role }) => role === "edge");
  }

  async #listen({ service, open, ending }: Running): Promise<void> {
    const { name, role, frame } = service;
    const { host, innerHost, port, drainMs, farewellMs } = frame;
    const isShared = this.#surroundings.worker !== undefined && role !== "backend";
    if (isShared && port === 0) throw new StartError(`A port that workers share must be set: the one of ${name}.`);
    const at = { host: role === "edge" ? host : innerHost, port, drainMs, farewellMs, ending: ending.signal, isShared };
    const { handler, upgrade } = open.serves;
    this.#servers.set(name, await listen({ ...at, isCounted: true, handler, upgrade }));
  }

  /** Returns the reasons why services cannot serve now, by name. */
  async problems(): Promise<Readonly<Record<string, string>>> {
    const states = await this.#states();
    return Object.fromEntries(
      states.flatMap(({ service, problem }) => (problem === undefined ? [] : [[service.name, problem] as const])),
    );
  }

  #states() {
    return Promise.all(this.#running.map(async ({ service, open }) => ({ service, problem: await problemOf(open) })));
  }

  /**
   * Returns whether the process can serve, with a line for each service. In a process with an edge, only services that
   * clients call count: a ledger that waits for NATS does not make it unready.
   */
  async #readiness(): Promise<Readiness> {
    if (this.#isDraining) return { isReady: false, words: "draining" };
    const states = await this.#states();
    const counts = ({ role }: Declared): boolean => role !== "backend" || !this.#hasEdge;
    return {
      isReady: states.every(({ service, problem }) => problem === undefined || !counts(service)),
      words: states.map(({ service, problem }) => `${service.name}: ${problem ?? "ready"}`).join("\n"),
    };
  }
}

/** Returns the reason why a service cannot serve now; undefined if it can. */
async function problemOf({ ready }: OpenService): Promise<string | undefined> {
  try {
    await ready?.();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
