/** How one environment variable is read: its text, or undefined where it is unset or empty. Throws RangeError in words. */
export interface Variable<T> {
  readonly read: (text: string | undefined) => T;
}

/** The values that a specification of variables gives. */
export type Environment<Spec extends Record<string, Variable<unknown>>> = {
  readonly [name in keyof Spec]: Spec[name] extends Variable<infer T> ? T : never;
};

/** The kinds of variables that services declare in their `env.ts`. */
export const variable = {
  text: (fallback?: string): Variable<string> => ({ read: (text) => text ?? fallback ?? required() }),
  optionalText: (): Variable<string | undefined> => ({ read: (text) => text }),
  url: (): Variable<string> => ({ read: (text) => address(text ?? required()) }),
  optionalUrl: (): Variable<string | undefined> => ({
    read: (text) => (text === undefined ? undefined : address(text)),
  }),
  integer: ({ fallback, min = 0, max = Number.MAX_SAFE_INTEGER }: IntegerBounds): Variable<number> => ({
    read: (text) => (text === undefined ? fallback : bounded(text, min, max)),
  }),
  /** A port; 0 takes a free one. */
  port: (fallback: number): Variable<number> => variable.integer({ fallback, max: 65_535 }),
  choice: <const Word extends string>(words: readonly Word[], fallback: Word): Variable<Word> => ({
    read: (text) =>
      text === undefined
        ? fallback
        : (words.find((word) => word === text) ?? wrong(`must be one of ${words.join(", ")}`)),
  }),
  /** A secret: never logged, and refused when it is short enough to guess. */
  secret: (): Variable<string> => ({
    read: (text) => longEnough(text ?? required()),
  }),
  optionalSecret: (): Variable<string | undefined> => ({
    read: (text) => (text === undefined ? undefined : longEnough(text)),
  }),
} as const;

interface IntegerBounds {
  readonly fallback: number;
  readonly min?: number;
  readonly max?: number;
}

/** A start that cannot go on, said in words for a person; `exitCode` 78 is a wrong configuration (sysexits). */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly exitCode: number;
  constructor(message: string, exitCode = 78) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Reads all variables of a specification at once; throws one StartError naming every wrong one. */
export function readEnv<const Spec extends Record<string, Variable<unknown>>>(
  spec: Spec,
  // The only place that reads the process's environment.
  // oxlint-disable-next-line no-restricted-properties
  source: NodeJS.ProcessEnv = process.env,
): Environment<Spec> {
  const problems: string[] = [];
  const found: Record<string, unknown> = {};
  for (const [name, { read }] of Object.entries(spec)) {
    try {
      found[name] = read(source[name] === "" ? undefined : source[name]);
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0)
    throw new StartError(`Wrong environment:\n${problems.map((line) => `  ${line}`).join("\n")}`);
  // The loop above filled every name of the specification with what its own reader gave.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return found as Environment<Spec>;
}

/** Where spans go; unset: nowhere, and nothing of OpenTelemetry is loaded. */
export const tracingVariables = { OTEL_EXPORTER_OTLP_ENDPOINT: variable.optionalUrl() };

/** What every service reads. `name` is the prefix of its ports: TEXT_PORT, TEXT_OPS_PORT. */
export function serviceVariables<const Name extends string>(name: Name) {
  const ports = {
    [`${name}_PORT`]: variable.port(0),
    [`${name}_OPS_PORT`]: variable.port(0),
  };
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    ...(ports as Record<`${Name}_PORT` | `${Name}_OPS_PORT`, Variable<number>>),
    HOST: variable.text("0.0.0.0"),
    LOG_LEVEL: variable.choice(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "info"),
    DRAIN_MS: variable.integer({ fallback: 30_000, max: 86_400_000 }),
    ...tracingVariables,
  };
}

/** What a service reads that keeps state: Redis, NATS and the secret that signs between services. */
export const stateVariables = {
  REDIS_URL: variable.url(),
  NATS_URL: variable.url(),
  /** On how many of NATS's servers every event is before it counts as published; a cluster has at least as many. */
  NATS_REPLICAS: variable.integer({ fallback: 1, min: 1, max: 5 }),
  /** Largest size of each stream of events; what is older than fits is dropped, counted or not. */
  NATS_KEEP_BYTES: variable.integer({ fallback: 1024 ** 3, min: 1_048_576 }),
  MODELGATE_SECRET: variable.secret(),
  /** The other secret during a rotation: accepted, not used. */
  MODELGATE_SECRET_BEFORE: variable.optionalSecret(),
  REDIS_TIMEOUT_MS: variable.integer({ fallback: 1_000, min: 10, max: 60_000 }),
};

function required(): never {
  throw new RangeError("is not set");
}

function wrong(say: string): never {
  throw new RangeError(say);
}

function longEnough(secret: string): string {
  return secret.length < 16 ? wrong("must have at least 16 characters") : secret;
}

function address(text: string): string {
  // Lists of servers are allowed: each item must be an address.
  return text.split(",").every((item) => URL.canParse(item.trim())) ? text : wrong("is not a URL");
}

function bounded(text: string, min: number, max: number): number {
  const value = Number(text);
  return Number.isInteger(value) && value >= min && value <= max
    ? value
    : wrong(`must be a whole number from ${min} to ${max}`);
}
