import type { RequestListener } from "node:http";
import type { UpgradeHandler } from "../http-server.ts";
import type { Logger } from "../log.ts";
import type { Registry } from "../metrics.ts";
import type { ServiceFrame, ServiceVariables } from "../service-variables.ts";
import type { VariableReader } from "../variables.ts";
import type { AreaServer, LocalAreas } from "./area-server.ts";
import type { Shared } from "./shared.ts";

/** Dependencies that a service is opened with. */
export interface ServiceContext<Env> {
  /** Values of the service's variables. */
  readonly env: Env;
  /** Maximum ms that open requests get at shutdown. */
  readonly drainMs: number;
  /** Ms at the end of the drain in which the process ends open calls. */
  readonly farewellMs: number;
  /** Aborted when that time begins; its reason is the Failure of open calls. */
  readonly ending: AbortSignal;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Parts that all services of the process share. */
  readonly shared: Shared;
  /** Areas that this process serves, as soon as they are open. */
  readonly areas: LocalAreas;
}

/** Handlers of a port. */
export interface PortHandlers {
  readonly handler: RequestListener;
  readonly upgrade?: UpgradeHandler | undefined;
}

/** An open service. */
export interface OpenService {
  /** Handlers of the service's port; the edge of the same process calls an area directly. */
  readonly serves: PortHandlers | AreaServer;
  /** Stops accepting connections and long-running work; resolves when open work has ended, which `ending` ensures. */
  readonly drain?: () => Promise<void>;
  /** Throws the reason why the service cannot serve now; /readyz shows it. */
  readonly ready?: () => void | Promise<void>;
  /** Closes the service's resources after open requests have ended. */
  readonly close?: () => void | PromiseLike<void>;
}

/** Role of a service: the edge that clients call, an area that the edge calls, or a backend that records calls. */
export type ServiceRole = "edge" | "area" | "backend";

/** Changes the values that a service is opened with, so that tests can lower constant limits. */
export type AdjustEnv = <Env>(service: string, env: Env) => Env;

/** A service; a process may run several. */
export interface Service {
  readonly name: string;
  readonly role: ServiceRole;
  /**
   * Reads the service's variables. Returns a service that can be opened with their values, which `adjust` may change.
   */
  readonly declare: (read: VariableReader, adjust?: AdjustEnv) => DeclaredService;
}

/** A service whose variables were read. */
export interface DeclaredService {
  readonly frame: ServiceFrame;
  readonly open: (context: Omit<ServiceContext<never>, "env" | "drainMs" | "farewellMs">) => Promise<OpenService>;
}

/** Defines a service by its variables and by the function that opens it. */
export function defineService<Env>(
  role: ServiceRole,
  variables: ServiceVariables<Env>,
  open: (context: ServiceContext<Env>) => Promise<OpenService>,
): Service {
  return {
    name: variables.name,
    role,
    declare(read, adjust) {
      const { frame, env: declared } = variables.declare(read);
      const env = adjust === undefined ? declared : adjust(variables.name, declared);
      return {
        frame,
        open: (context) => open({ ...context, env, drainMs: frame.drainMs, farewellMs: frame.farewellMs }),
      };
    },
  };
}
