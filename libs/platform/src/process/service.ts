import type { RequestListener } from "node:http";
import type { UpgradeHandler } from "../http-server.ts";
import type { Logger } from "../log.ts";
import type { Registry } from "../metrics.ts";
import type { CommonEnv, ServiceVariables } from "../service-variables.ts";
import type { VariableReader } from "../variables.ts";
import type { AreaServer, LocalAreas } from "./area-server.ts";
import type { SharedParts } from "./shared.ts";

/** Parameters of the function that opens a service. */
export interface ServiceContext<Env> {
  readonly env: Env;
  /** Maximum ms that open requests may continue at shutdown. */
  readonly drainMs: number;
  /** Time in ms before the end of the drain at which open calls are ended with a failure. */
  readonly drainErrorMs: number;
  /** Aborted when `drainErrorMs` begins. Its reason is the Failure for open calls. */
  readonly ending: AbortSignal;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly shared: SharedParts;
  /** Areas of this process that are open. */
  readonly areas: LocalAreas;
}

export interface PortHandlers {
  readonly handler: RequestListener;
  readonly upgrade?: UpgradeHandler | undefined;
}

/** Handlers of an open service, and the steps of its shutdown. */
export interface OpenService {
  readonly serves: PortHandlers | AreaServer;
  /** Stops accepting work, and resolves when open work has ended. Once `ending` is aborted, the service must end it. */
  readonly drain?: () => Promise<void>;
  /** Throws the reason why the service cannot serve now. */
  readonly ready?: () => void | Promise<void>;
  readonly close?: () => void | PromiseLike<void>;
}

/** Clients call an edge; the edge calls areas; backends are ledger and control. */
export type ServiceRole = "edge" | "area" | "backend";

/** Changes the values of a service's variables in tests. */
export type AdjustEnv = <Env>(service: string, env: Env) => Env;

export interface Service {
  readonly name: string;
  readonly role: ServiceRole;
  readonly declare: (read: VariableReader, adjust?: AdjustEnv) => DeclaredService;
}

/** A service with the values of its variables. */
export interface DeclaredService {
  readonly common: CommonEnv;
  readonly open: (context: Omit<ServiceContext<never>, "env" | "drainMs" | "drainErrorMs">) => Promise<OpenService>;
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
        open: (context) => open({ ...context, env, drainMs: common.drainMs, drainErrorMs: common.drainErrorMs }),
      };
    },
  };
}
