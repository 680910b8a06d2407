import { CannotStart } from "./cannot-start.ts";
import { portNames, serviceNames } from "./services.ts";

/**
 * Returns the ports of `npm start` that variables set, by the names of the variables. Without a port, 0 selects a free
 * one. Throws CannotStart if a value is not a port, or two variables have the same one.
 */
export function wantedPorts(
  env: Readonly<Record<string, string>>,
  withSimulator: boolean,
): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>();
  for (const name of listeningNames(withSimulator)) {
    const value = env[name];
    if (value === undefined) continue;
    const port = readPort(name, value);
    const [other] = [...wanted].find(([, taken]) => taken === port && port !== 0) ?? [];
    if (other !== undefined) throw new CannotStart(`${other} and ${name} are both ${port}: set one to another port.`);
    wanted.set(name, port);
  }
  return wanted;
}

/** Names of the variables of ports on which a process listens. All services of the gateway share the operations port. */
function listeningNames(withSimulator: boolean): readonly string[] {
  const [, gatewayOps] = portNames("edge");
  const mainNames = serviceNames.filter((name) => name !== "simulator").map((name) => portNames(name)[0]);
  return [...mainNames, gatewayOps, ...(withSimulator ? portNames("simulator") : [])];
}

function readPort(name: string, value: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new CannotStart(`${name} must be a number from 0 to 65535, not ${value}.`);
  return port;
}
