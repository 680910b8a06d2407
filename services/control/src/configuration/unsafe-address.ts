import { isLinkLocal } from "@modelgate/channels";
import type { Names } from "./resolve.ts";

/** Ports of Redis, Sentinel, NATS and PostgreSQL. */
const storePorts = ["6379", "26379", "4222", "6222", "8222", "5432"];
/** Variables that hold the addresses of the stores of this gateway. */
const storeVariables = ["REDIS_URL", "NATS_URL", "BOOKS_URL", "LEDGER_URL"];

/**
 * Why no vendor is at an origin, in words that follow `baseUrl`: a link-local address, where clouds give out credentials, or a
 * port of a store. Undefined where one may be.
 */
export function unsafeAddress(origin: string, names: Names): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  const { hostname, port } = new URL(origin);
  if (isLinkLocal(hostname)) return "is a link-local address, where no vendor is";
  return port !== "" && [...storePorts, ...portsOfStores(names)].includes(port)
    ? `has port ${port}, where a store of the gateway is, and no vendor`
    : undefined;
}

function portsOfStores(names: Names): readonly string[] {
  return storeVariables.flatMap((name) =>
    (names[name] ?? "").split(",").flatMap((address) => (URL.canParse(address) ? [new URL(address).port] : [])),
  );
}
