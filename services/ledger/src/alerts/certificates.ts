import { isIP } from "node:net";
import { connect } from "node:tls";
import type { Books } from "@modelgate/books";
import { readPublishedConfiguration } from "@modelgate/catalog";
import type { FindingDeps } from "./find-alerts.ts";
import { certificateAlert } from "./rules.ts";

/** Maximum ms to wait for the TLS handshake with a server. */
const handshakeMs = 5_000;
/** Maximum servers whose certificates are read in one step. */
const maxServers = 200;
/** Ports of the schemes whose servers have certificates. */
const tlsPorts: Readonly<Record<string, number>> = { "https:": 443, "rediss:": 6_379 };

/** Stores alerts about certificates of Redis and of channels' addresses that are about to expire. */
export async function findCertificateAlerts(
  books: Books,
  { redis, recorder }: FindingDeps,
  storeUrls: readonly string[],
): Promise<void> {
  const { channels = [] } = (await readPublishedConfiguration(redis)) ?? {};
  const direct = channels.filter(({ proxy }) => proxy === undefined).map(({ baseUrl }) => baseUrl);
  const servers = new Map([...storeUrls, ...direct].flatMap(serverOf));
  for (const [name, server] of [...servers].slice(0, maxServers)) {
    const expiresAt = await certificateEnd(server);
    const alert = expiresAt === undefined ? undefined : certificateAlert(name, expiresAt, Date.now());
    if (alert !== undefined) await recorder.record(books, [alert]);
  }
}

interface TlsServer {
  readonly host: string;
  readonly port: number;
}

/** Returns the server of an address with TLS, with its name, as a list. Returns an empty list for other addresses. */
function serverOf(address: string): readonly (readonly [name: string, server: TlsServer])[] {
  const url = URL.parse(address);
  const port = url === null ? undefined : tlsPorts[url.protocol];
  if (url === null || port === undefined) return [];
  const server = { host: url.hostname.replaceAll(/^\[|\]$/g, ""), port: url.port === "" ? port : Number(url.port) };
  return [[`${url.hostname}:${server.port}`, server]];
}

/**
 * Returns the end of a server's certificate (RFC 3339); undefined if the server does not answer. Does not validate the
 * certificate, because an invalid certificate expires too. Sends no data after the handshake.
 */
export function certificateEnd({ host, port }: TlsServer): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      timeout: handshakeMs,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    const end = (validTo?: string): void => {
      socket.destroy();
      const expiryMs = Date.parse(validTo ?? "");
      resolve(Number.isNaN(expiryMs) ? undefined : new Date(expiryMs).toISOString());
    };
    socket
      .once("secureConnect", () => end(socket.getPeerCertificate().valid_to))
      .once("timeout", () => end())
      .on("error", () => end());
  });
}
