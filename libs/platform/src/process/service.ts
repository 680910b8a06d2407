import type { RequestListener } from "node:http";
import type { UpgradeHandler } from "../http-server.ts";
import type { Logger } from "../log.ts";
import type { Registry } from "../metrics.ts";
import type { ServiceFrame, ServiceVariables } from "../service-variables.ts";
import type { VariableReader } from "../variables.ts";
import type { AreaServer, LocalAreas } from "./area-server.ts";
import type { Shared } from "./shared.ts";

/** The objects that a service is opened with. */
export interface ServiceContext<Env> {
  /** The values of the service's own variables. */
  readonly env: Env;
  /** Maximum time that open requests get at the end of the process. */
  readonly drainMs: number;
  /** Time in which the process ends what is still open at the end of its drain. */
  readonly farewellMs: number;
  /** Aborted when that time begins; its reason is the Failure that open calls end with. */
  readonly ending: AbortSignal;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Shared by all services of the process. */
  readonly shared: Shared;
  /** The areas that this process serves itself, once they are open. */
  readonly areas: LocalAreas;
}

/** The handlers of a port. */
export interface PortHandlers {
  readonly handler: RequestListener;
  readonly upgrade?: UpgradeHandler | undefined;
}

/** An open service. */
export interface OpenService {
  /** The handlers of its own port; an area is also served directly to the edge of its own process. */
  readonly serves: PortHandlers | AreaServer;
  /** Takes no more connections and work that last; resolves when what is open has ended, which `ending` sees to. */
  readonly drain?: () => Promise<void>;
  /** Throws why the service cannot serve now; /readyz shows it. */
  readonly ready?: () => void | Promise<void>;
  /** Ends what it holds, after open requests have ended. */
  readonly close?: () => void | PromiseLike<void>;
}

/** The role of a service: the edge that clients call, an area that the edge calls, or a backend that keeps records of calls. */
export type ServiceRole = "edge" | "area" | "backend";

/** Changes the values that a service is opened with: tests lower bounds that are constants. */
export type AdjustEnv = <Env>(service: string, env: Env) => Env;

/** A service, which a process may run together with others. */
export interface Service {
  readonly name: string;
  readonly role: ServiceRole;
  /** Reads its variables, and returns a service that can be opened with their values, which `adjust` may change. */
  readonly declare: (read: VariableReader, adjust?: AdjustEnv) => DeclaredService;
}

/** A service whose variables are read. */
export interface DeclaredService {
  readonly frame: ServiceFrame;
  readonly open: (context: Omit<ServiceContext<never>, "env" | "drainMs" | "farewellMs">) => Promise<OpenService>;
}

/** Makes a service of its variables and of the function that opens it. */
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
