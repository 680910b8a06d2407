import type { DeclaredVariable } from "@modelgate/contracts";
import { defaultBusLimits } from "./bus.ts";
import { secretsOf } from "./secrets.ts";
import { describeVariables, readVariables, type Declaration, type VariableReader } from "./variables.ts";

/** Variables that a service reads from its environment. */
export interface ServiceVariables<Env> {
  readonly name: string;
  readonly declare: Declaration<{ readonly common: CommonEnv; readonly env: Env }>;
  /** Lists every variable that the service reads. */
  describe(): readonly DeclaredVariable[];
}

/** Variables that all services have. */
export type CommonEnv = Readonly<ReturnType<typeof commonVariables>>;

export type EnvOf<Variables> = Variables extends ServiceVariables<infer Env> ? Env : never;

/** Settings of one service for the common variables. */
export interface CommonOptions {
  /** Default: the service's name with `_PORT` (TEXT_PORT), and 0. */
  readonly port?: readonly [name: string, fallback: number];
  /** Maximum ms for DRAIN_MS. */
  readonly maxDrainMs?: number;
}

/** Declares the variables of a service: the common ones, and those of `declaration`. */
export function serviceVariables<Env>(
  name: string,
  declaration: Declaration<Env>,
  options: CommonOptions = {},
): ServiceVariables<Env> {
  const declare = (read: VariableReader) => ({ common: commonVariables(read, name, options), env: declaration(read) });
  return { name, declare, describe: () => describeVariables(declare) };
}

/** Returns a service's own variables. Throws StartError if one of them or a common variable is invalid. */
export function readEnv<Env>(
  { declare }: ServiceVariables<Env>,
  source?: Readonly<Record<string, string | undefined>>,
): Env {
  return readVariables(declare, source).env;
}

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

function commonVariables(read: VariableReader, name: string, { port, maxDrainMs = Infinity }: CommonOptions) {
  const prefix = name.toUpperCase();
  const [portName, portFallback] = port ?? [`${prefix}_PORT`, 0];
  const common = {
    port: read.port(portName, portFallback, "Port that the service listens on. With 0, it takes a free port."),
    opsPort: read.port(`${prefix}_OPS_PORT`, 0, "Port of /healthz, /readyz and /metrics. With 0, it is a free port."),
    host: read.text("HOST", "0.0.0.0", "Address to which the port for clients is bound."),
    innerHost: read.optionalText(
      "INNER_HOST",
      "Address to which all other ports are bound: those of services behind the edge, of probes and of the operator's API. If unset, this is HOST.",
    ),
    logLevel: read.choice("LOG_LEVEL", logLevels, "info", "Minimum level of the lines that are logged."),
    collectorUrl: read.optionalUrl(
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OpenTelemetry collector to which spans are sent over HTTP. If unset, tracing is off.",
    ),
  };
  const drainMs = Math.min(
    maxDrainMs,
    read.integer("DRAIN_MS", 30_000, "Maximum time in which open requests may finish after a process is stopped.", {
      max: 86_400_000,
    }),
  );
  const drainErrorMs = read.integer(
    "DRAIN_ERROR_MS",
    4_000,
    "Last part of DRAIN_MS. Calls that are still open then end with an error in their client's format. At most half of DRAIN_MS is used.",
    { max: 60_000 },
  );
  return {
    ...common,
    innerHost: common.innerHost ?? common.host,
    drainMs,
    drainErrorMs: Math.min(drainErrorMs, drainMs / 2),
  };
}

/** Reads the address of Redis for accounts and configuration, and the services' secrets. */
export function storeVariables(read: VariableReader) {
  return {
    redis: {
      url: read.url(
        "REDIS_URL",
        "Address of Redis, or addresses of a Cluster's or Sentinel's servers, separated by commas.",
      ),
      /** Maximum ms to wait for an answer of Redis. */
      timeoutMs: 1_000,
    },
    secrets: secretsOf(
      read.secret(
        "MODELGATE_SECRET",
        "Key that signs messages between services and anchors, and encrypts vendors' keys, alert targets, stored content and records of video tasks.",
      ),
      read.optionalSecret(
        "MODELGATE_SECRET_BEFORE",
        "Second secret during a rotation. modelgate accepts what it signed or encrypted, and does not sign or encrypt with it.",
      ),
    ),
  };
}

export type StoreEnv = ReturnType<typeof storeVariables>;

/** Reads the address and the size limit of the Redis for clients' content. */
export function contentVariables(read: VariableReader) {
  return {
    url: read.optionalUrl(
      "CONTENT_REDIS_URL",
      "Address of the Redis that stores clients' content, such as responses and conversations. If unset, this is REDIS_URL.",
    ),
    maxBytes: read.integer("CONTENT_BYTES", 256 * 1024 * 1024, "Maximum bytes of content that one account can store.", {
      min: 1_024,
    }),
  };
}

export interface ContentEnv {
  readonly content: ReturnType<typeof contentVariables>;
}

/** Reads the address of the event bus, and the limits of its streams. */
export function busVariables(read: VariableReader) {
  return {
    bus: {
      url: read.url("NATS_URL", "Address of NATS, or addresses of a cluster's servers, separated by commas."),
      limits: {
        replicas: read.integer(
          "NATS_REPLICAS",
          1,
          "Number of NATS servers that store each event. The cluster needs at least as many servers.",
          { min: 1, max: 5 },
        ),
        keepBytes: read.integer(
          "NATS_KEEP_BYTES",
          defaultBusLimits.keepBytes,
          "Maximum size of each event stream. If a stream exceeds it, NATS deletes the oldest events, even if they are not in the books yet.",
          { min: 1_048_576 },
        ),
        /** Time in ms after which NATS delivers unacknowledged events again. */
        redeliverAfterMs: defaultBusLimits.redeliverAfterMs,
      },
    },
  };
}

export type BusEnv = ReturnType<typeof busVariables>;

/** Reads the variables of a service that charges calls. */
export function stateVariables(read: VariableReader) {
  return { ...storeVariables(read), ...busVariables(read) };
}
