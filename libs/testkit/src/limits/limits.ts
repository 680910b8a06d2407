import { join } from "node:path";

/**
 * Limits that a test makes small: numbers of a service's `env` object, by the service's name and the path in the object.
 * They are constants in the product, which has no variable for them: `program.ts` runs the same services with other values.
 * What is under `relay` is for the `relay` of each service that has one, as in
 * `{ relay: { limits: { leaseMs: 1_500 } }, edge: { seatLeaseMs: 900 } }`.
 */
export interface Limits {
  readonly [name: string]: Limits | number;
}

/** Path of the program that runs the gateway with a test's limits. */
export const limitedProgram = join(import.meta.dirname, "program.ts");

/** The variable in which that program gets its limits, as JSON. */
export const limitsVariable = "TESTKIT_LIMITS";

/** Changes the limits of a service's values. */
export function adjustEnv<Env>(service: string, env: Env, { relay, [service]: own = {} }: Limits): Env {
  const hasRelay = typeof env === "object" && env !== null && "relay" in env;
  const limits = hasRelay && relay !== undefined ? withLimits({ relay }, own) : own;
  return replaced(env, limits, service);
}

/** Adds limits to others; the later ones win. */
export function withLimits(limits: Limits, more: Limits | number = {}): Limits {
  if (typeof more === "number") throw new Error("limits are an object");
  const merged: Record<string, Limits | number> = { ...limits };
  for (const [name, value] of Object.entries(more)) {
    const known = merged[name];
    merged[name] = typeof known === "object" && typeof value === "object" ? withLimits(known, value) : value;
  }
  return merged;
}

/** Copies a value with some of its numbers replaced. Throws where there is no such number. */
function replaced<Value>(value: Value, limits: Limits | number, path: string): Value {
  const isNumber = typeof value === "number";
  if (typeof limits === "number" ? !isNumber : typeof value !== "object" || value === null)
    throw new Error(`${path} is no limit: a test names it`);
  // A number takes the place of a number, an object that of one with the same members.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (typeof limits === "number") return limits as Value;
  const copy = { ...value };
  for (const name of Object.keys(limits)) {
    if (!isKeyOf(name, copy)) throw new Error(`${path}.${name} is no limit: a test names it`);
    copy[name] = replaced(copy[name], limits[name] ?? {}, `${path}.${name}`);
  }
  return copy;
}

function isKeyOf<Owner>(name: PropertyKey, owner: Owner): name is keyof Owner {
  return typeof owner === "object" && owner !== null && name in owner;
}
