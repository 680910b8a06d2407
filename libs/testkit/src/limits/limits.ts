/**
 * Limits that a test lowers. Each is a number in a service's `env` object, named by the service and the path in this
 * object. In production, these numbers are constants. Values below `relay` apply to every service with a relay.
 */
export interface Limits {
  readonly [name: string]: Limits | number;
}

/** Variable from which `program.ts` reads the limits, as JSON. */
export const limitsVariable = "TESTKIT_LIMITS";

/** Returns a copy of a service's `env` with the given limits. */
export function adjustEnv<Env>(service: string, env: Env, { relay, [service]: own = {} }: Limits): Env {
  const hasRelay = typeof env === "object" && env !== null && "relay" in env;
  const limits = hasRelay && relay !== undefined ? withLimits({ relay }, own) : own;
  return withReplacedNumbers(env, limits, service);
}

/** Limits with which the ledger records an event almost immediately. */
export const quickRecording = { ledger: { recording: { gatherMs: 50 } } } as const satisfies Limits;

/** Merges two sets of limits; those of `more` have priority. */
export function withLimits(limits: Limits, more: Limits | number = {}): Limits {
  if (typeof more === "number") throw new Error("limits are an object");
  const merged: Record<string, Limits | number> = { ...limits };
  for (const [name, value] of Object.entries(more)) {
    const existing = merged[name];
    merged[name] = typeof existing === "object" && typeof value === "object" ? withLimits(existing, value) : value;
  }
  return merged;
}

/** Returns a copy of the value with the limits as its numbers. Throws an error if the value has no such number. */
function withReplacedNumbers<Value>(value: Value, limits: Limits | number, path: string): Value {
  const isNumber = typeof value === "number";
  if (typeof limits === "number" ? !isNumber : typeof value !== "object" || value === null)
    throw new Error(`A test names the limit ${path}, which does not exist`);
  // A number replaces a number, and an object replaces an object.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (typeof limits === "number") return limits as Value;
  const copy = { ...value };
  for (const name of Object.keys(limits)) {
    if (!isKeyOf(name, copy)) throw new Error(`A test names the limit ${path}.${name}, which does not exist`);
    copy[name] = withReplacedNumbers(copy[name], limits[name] ?? {}, `${path}.${name}`);
  }
  return copy;
}

function isKeyOf<Owner>(name: PropertyKey, owner: Owner): name is keyof Owner {
  return typeof owner === "object" && owner !== null && name in owner;
}
