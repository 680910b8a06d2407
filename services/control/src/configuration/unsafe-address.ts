import { isLinkLocal } from "@modelgate/channels";

/** Usual ports of Redis, Sentinel, NATS and PostgreSQL. */
const storePorts: ReadonlySet<string> = new Set(["6379", "26379", "4222", "6222", "8222", "5432"]);

/**
 * Returns the reason why no vendor can be at an origin, in words that follow `baseUrl`: a link-local address, where
 * clouds give out credentials, a port of a store, or one of `inside`, addresses that control itself uses. Undefined if
 * a vendor can be there.
 */
export function unsafeAddress(origin: string, inside: readonly string[]): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  const { hostname, port } = new URL(origin);
  if (isLinkLocal(hostname)) return "is a link-local address, where no vendor is";
  const isInside = inside.some((address) => URL.canParse(address) && new URL(address).port === port);
  return port !== "" && (storePorts.has(port) || isInside)
    ? `has port ${port}, where a store of the gateway is, and no vendor`
    : undefined;
}
