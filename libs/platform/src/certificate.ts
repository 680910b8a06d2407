import { isIP } from "node:net";
import { checkServerIdentity, connect, type PeerCertificate } from "node:tls";
import { StartError } from "./start-error.ts";

const handshakeMs = 2_000;

/**
 * Returns a StartError if the error is about a server's certificate, because retries would not help; otherwise
 * undefined.
 */
export function refusedCertificateError(server: string, error: unknown): StartError | undefined {
  if (!(error instanceof Error && error.message.includes("certificate"))) return undefined;
  const [reason = ""] = error.message.split(";");
  return new StartError(
    `${server}'s certificate is refused: ${reason}. Set NODE_EXTRA_CA_CERTS to the file of your own authority.`,
  );
}

/**
 * Performs a TLS handshake and returns its error, because the clients of Cluster and Sentinel do not report it. Returns
 * undefined if the handshake succeeds or the server does not answer.
 */
export function tryHandshake({ host, port }: { readonly host: string; readonly port: number }): Promise<unknown> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: handshakeMs, ...(isIP(host) === 0 ? { servername: host } : {}) });
    const end = (error?: unknown): void => {
      socket.destroy();
      resolve(error);
    };
    socket
      .once("secureConnect", () => end())
      .once("timeout", () => end())
      .on("error", end);
  });
}

/** Removes the certificate that Node attaches to some errors. It would fill pages of the log. */
export function withoutCertificate(error: unknown): unknown {
  if (!(error instanceof Error && "cert" in error)) return error;
  const { name, message, stack } = error;
  return Object.assign(new Error(message), { name, stack });
}

/**
 * Creates a check of server certificates for the NATS client. The client library expects "localhost" in the certificate
 * of a server with an IP address; this check expects one of the configured addresses.
 */
export function createCertificateCheck(
  servers: readonly string[],
): (requested: string, certificate: PeerCertificate) => Error | undefined {
  const hosts = servers.map((server) => new URL(server).hostname.replaceAll(/^\[|\]$/g, ""));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return (requested, certificate) => {
    const coversHost = requested !== "localhost" || hosts.includes("localhost") || addresses.length === 0;
    const problems = (coversHost ? [requested] : addresses).map((host) => checkServerIdentity(host, certificate));
    return problems.includes(undefined) ? undefined : problems[0];
  };
}
