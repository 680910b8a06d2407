import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Books } from "@modelgate/books";
import { readPublishedConfiguration } from "@modelgate/catalog";
import { readCertificateEnd, readContentCertificateEnds, type Redis, type TlsServer } from "@modelgate/platform";
import type { AlertStepDeps } from "./record-alerts.ts";
import { certificateAlert } from "./rules.ts";

/** Maximum number of servers to check, and number of concurrent checks. */
const [maxServers, maxConcurrent] = [200, 10];

/** Default port and protocol before TLS, by scheme. */
const schemes: Readonly<Record<string, Omit<TlsServer, "host">>> = {
  "https:": { port: 443 },
  "rediss:": { port: 6_379 },
  "rediss+cluster:": { port: 6_379 },
  "rediss+sentinel:": { port: 26_379 },
  // A client of NATS uses TLS if the server requires it, even with `nats:`.
  "nats:": { port: 4_222, protocol: "nats" },
  "tls:": { port: 4_222, protocol: "nats" },
  "postgres:": { port: 5_432, protocol: "postgres" },
  "postgresql:": { port: 5_432, protocol: "postgres" },
};

/** Stores alerts about expiring certificates: of stores, of channels without a proxy, and of a PostgreSQL client. */
export async function recordCertificateAlerts(
  books: Books,
  { redis, recorder }: AlertStepDeps,
  storeUrls: readonly string[],
): Promise<void> {
  const { channels = [] } = (await readPublishedConfiguration(redis)) ?? {};
  const direct = channels.filter(({ proxy }) => proxy === undefined).map(({ baseUrl }) => baseUrl);
  const addresses = [...storeUrls, ...nodesOf(redis), ...direct];
  const servers = [...new Map(addresses.flatMap(serverOf))].slice(0, maxServers);
  const record = async (name: string, expiresAt: string | undefined): Promise<void> => {
    const alert = expiresAt === undefined ? undefined : certificateAlert(name, expiresAt, Date.now());
    if (alert !== undefined) await recorder.record(books, [alert]);
  };
  for (const file of storeUrls.flatMap(clientCertificateOf)) await record(`the file ${file}`, await expiryOfFile(file));
  for (const [name, end] of await readContentCertificateEnds(redis)) await record(name, end);
  for (let at = 0; at < servers.length; at += maxConcurrent) {
    const some = servers.slice(at, at + maxConcurrent);
    const ends = await Promise.all(some.map(([, server]) => readCertificateEnd(server)));
    for (const [index, [name]] of some.entries()) await record(name, ends[index]);
  }
}

/** Returns the addresses of Redis nodes with TLS. */
function nodesOf(redis: Redis): readonly string[] {
  if ("nodes" in redis)
    return redis
      .nodes()
      .filter(({ options }) => options.tls !== undefined)
      .map(({ options: { host = "", port } }) => addressOf(host, port));
  const { sentinels, tls } = redis.options;
  const { remoteAddress, remotePort } = redis.stream;
  if ((sentinels ?? []).length === 0 || tls === undefined || remoteAddress === undefined) return [];
  return [addressOf(remoteAddress, remotePort)];
}

function addressOf(host: string, port = 6_379): string {
  return `rediss://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Returns the server of an address that may use TLS, or an empty list. */
function serverOf(address: string): readonly (readonly [name: string, server: TlsServer])[] {
  const url = URL.parse(address);
  const scheme = url === null ? undefined : schemes[url.protocol];
  if (url === null || scheme === undefined || (scheme.protocol === "postgres" && !usesTls(url))) return [];
  const port = url.port === "" ? scheme.port : Number(url.port);
  return [[`${url.hostname}:${port}`, { ...scheme, host: url.hostname.replaceAll(/^\[|\]$/g, ""), port }]];
}

/** Returns whether the client of PostgreSQL uses TLS for an address. */
function usesTls({ searchParams }: URL): boolean {
  const valueOf = (name: string): string => searchParams.get(name) ?? "";
  if (valueOf("sslmode") === "disable") return false;
  const isSet = ["sslmode", "sslrootcert", "sslcert", "sslkey"].some((name) => valueOf(name) !== "");
  return isSet || valueOf("sslnegotiation") === "direct" || ["true", "1"].includes(valueOf("ssl"));
}

/** Returns the path of the client certificate in a PostgreSQL address, or an empty list. */
function clientCertificateOf(address: string): readonly string[] {
  const file = URL.parse(address)?.searchParams.get("sslcert") ?? "";
  return file === "" ? [] : [file];
}

async function expiryOfFile(path: string): Promise<string | undefined> {
  try {
    return new X509Certificate(await readFile(path)).validToDate.toISOString();
  } catch {
    return undefined;
  }
}
