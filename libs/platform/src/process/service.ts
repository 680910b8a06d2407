import type { RequestListener } from "node:http";
import type { UpgradeHandler } from "../http-server.ts";
import type { Logger } from "../log.ts";
import type { Registry } from "../metrics.ts";
import type { CommonEnv, ServiceVariables } from "../service-variables.ts";
import type { VariableReader } from "../variables.ts";
import type { AreaServer, LocalAreas } from "./area-server.ts";
import type { Shared } from "./shared.ts";

/** Dependencies that a service is opened with. */
export interface ServiceContext<Env> {
  /** Values of the service's variables. */
  readonly env: Env;
  /** Maximum ms that open requests may continue at shutdown. */
  readonly drainMs: number;
  /** Time in ms before the end of the drain at which open calls are ended with a failure. */
  readonly farewellMs: number;
  /** Aborted when `farewellMs` begins. Its reason is the Failure for open calls. */
  readonly ending: AbortSignal;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Parts that all services of the process share. */
  readonly shared: Shared;
  /** Areas in this process; each is added when it is open. */
  readonly areas: LocalAreas;
}

/** Handlers of the requests on a port. */
export interface PortHandlers {
  readonly handler: RequestListener;
  readonly upgrade?: UpgradeHandler | undefined;
}

/** Handlers of an open service, and the steps of its shutdown. */
export interface OpenService {
  /** Handlers of the service's port. If they are an AreaServer, the edge of the same process calls it directly. */
  readonly serves: PortHandlers | AreaServer;
  /**
   * Stops accepting connections and starting long work. Resolves when the open work has ended. When `ending` is
   * aborted, the service must end that work.
   */
  readonly drain?: () => Promise<void>;
  /** Throws the reason why the service cannot serve now; /readyz shows it. */
  readonly ready?: () => void | Promise<void>;
  /** Closes the service's resources after open requests have ended. */
  readonly close?: () => void | PromiseLike<void>;
}

/** Role of a service: the edge that clients call, an area that the edge calls, or a backend (ledger, control). */
export type ServiceRole = "edge" | "area" | "backend";

/** Changes the values that a service is opened with, so that tests can lower limits. */
export type AdjustEnv = <Env>(service: string, env: Env) => Env;

/** A service. A process may run several. */
export interface Service {
  readonly name: string;
  readonly role: ServiceRole;
  /**
   * Reads the service's variables and returns a service that can be opened with these values. `adjust` may change them.
   */
  readonly declare: (read: VariableReader, adjust?: AdjustEnv) => DeclaredService;
}

/** A service with the values of its variables. */
export interface DeclaredService {
  readonly common: CommonEnv;
  readonly open: (context: Omit<ServiceContext<never>, "env" | "drainMs" | "farewellMs">) => Promise<OpenService>;
}

/** Defines a service by its variables and the function that opens it. */
export function defineService<Env>(
  role: ServiceRole,
  variables: ServiceVariables<Env>,
  open: (context: ServiceContext<Env>) => Promise<OpenService>,
): Service {
  return {
    name: variables.name,
    role,
    declare(read, adjust) {
      const { common, env: declared } = variables.declare(read);
      const env = adjust === undefined ? declared : adjust(variables.name, declared);
      return {
        common,
        open: (context) => open({ ...context, env, drainMs: common.drainMs, farewellMs: common.farewellMs }),
      };
    },
  };
}
