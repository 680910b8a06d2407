import { withoutUndefined } from "@modelgate/contracts";
import { StartError } from "./start-error.ts";

/** Address of a Redis server or Sentinel. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** Addresses and credentials of a Redis deployment, by its kind. */
export type RedisAddress = {
  readonly credentials: { readonly username?: string; readonly password?: string };
  readonly tls: boolean;
} & (
  | { readonly kind: "single"; readonly node: RedisNode; readonly database: number }
  | { readonly kind: "cluster"; readonly nodes: readonly RedisNode[] }
  | {
      readonly kind: "sentinel";
      readonly nodes: readonly RedisNode[];
      readonly master: string;
      readonly database: number;
      readonly sentinelPassword?: string;
    }
);

/** Matches the scheme of an address; `rediss` means TLS. */
const redisScheme = /^redis(s?)(?:\+(cluster|sentinel))?:$/;
const defaultPorts = { single: 6_379, cluster: 6_379, sentinel: 26_379 } as const;

/**
 * Parses REDIS_URL or CONTENT_REDIS_URL: `redis://host:port/db` (one server), `redis+cluster://…` (a Cluster; also
 * several addresses separated by commas) or `redis+sentinel://…/master/db?sentinelPassword=…`. `rediss` uses TLS.
 * Throws StartError, whose message does not contain the value.
 */
export function readRedisUrl(text: string, prefix: "" | "CONTENT_"): RedisAddress {
  const urls = text.split(",").map((item) => new URL(item.trim()));
  const [first] = urls;
  const kinds = new Set(urls.map(({ protocol }) => protocol));
  const [, secure, schemeName] = redisScheme.exec(first?.protocol ?? "") ?? [];
  if (first === undefined || secure === undefined || kinds.size > 1)
    throw new StartError(
      `${prefix}REDIS_URL must start with redis:// or rediss://, optionally with +cluster or +sentinel, and all addresses must use the same scheme.`,
    );
  const kind =
    schemeName === "sentinel" ? "sentinel" : schemeName === "cluster" || urls.length > 1 ? "cluster" : "single";
  const nodes = urls.map(({ hostname, port }) => ({
    host: hostname.replaceAll(/^\[|\]$/g, ""),
    port: port === "" ? defaultPorts[kind] : Number(port),
  }));
  const common = { tls: secure === "s", credentials: credentialsIn(first) };
  const path = (urls.find(({ pathname }) => pathname.length > 1)?.pathname ?? "").split("/").slice(1);
  if (kind === "cluster") return { ...common, kind, nodes };
  if (kind === "single")
    return { ...common, kind, node: nodes[0] ?? { host: "", port: 0 }, database: databaseOf(prefix, path[0]) };
  return { ...common, kind, nodes, ...sentinelsIn(prefix, urls, path) };
}

function sentinelsIn(prefix: string, urls: readonly URL[], [master = "", database]: readonly string[]) {
  if (master === "")
    throw new StartError(`${prefix}REDIS_URL must name the Sentinels' master: redis+sentinel://host/master`);
  const [sentinelPassword] = urls.flatMap(({ searchParams }) => searchParams.getAll("sentinelPassword"));
  return withoutUndefined({
    master: decodeURIComponent(master),
    database: databaseOf(prefix, database),
    sentinelPassword,
  });
}

function credentialsIn({ username, password }: URL): RedisAddress["credentials"] {
  return {
    ...(username === "" ? {} : { username: decodeURIComponent(username) }),
    ...(password === "" ? {} : { password: decodeURIComponent(password) }),
  };
}

function databaseOf(prefix: string, text = ""): number {
  const database = Number(text === "" ? "0" : text);
  if (Number.isInteger(database) && database >= 0) return database;
  throw new StartError(`${prefix}REDIS_URL must end with a database number or with nothing.`);
}
