import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as secure } from "node:tls";

/** Server that presents a certificate. */
export interface TlsServer {
  readonly host: string;
  readonly port: number;
  /** Protocol that the client speaks before TLS begins. */
  readonly protocol?: "nats" | "postgres";
}

const handshakeMs = 5_000;
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Returns the time at which a server's certificate expires (RFC 3339); undefined if the server has no TLS or does not
 * answer. The certificate is not validated, because an invalid one expires too.
 */
export async function readCertificateEnd(server: TlsServer): Promise<string | undefined> {
  const socket = connect({ host: server.host, port: server.port });
  const closed = once(
    socket.on("error", () => undefined),
    "close",
  ).then(() => undefined);
  const timer = setTimeout(() => socket.destroy(), handshakeMs);
  try {
    return await Promise.race([readEnd(socket, server), closed]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

async function readEnd(socket: Socket, { host, protocol }: TlsServer): Promise<string | undefined> {
  if (protocol !== undefined && !(await beginTls[protocol](socket))) return undefined;
  const secured = secure({ socket, rejectUnauthorized: false, ...(isIP(host) === 0 ? { servername: host } : {}) });
  secured.on("error", () => undefined);
  await once(secured, "secureConnect");
  const expiryMs = Date.parse(secured.getPeerCertificate().valid_to);
  return Number.isNaN(expiryMs) ? undefined : new Date(expiryMs).toISOString();
}

/** Functions that prepare a connection for TLS. They return whether the server accepts TLS. */
const beginTls: Readonly<Record<"nats" | "postgres", (socket: Socket) => Promise<boolean>>> = {
  // The server's first message describes the server.
  async nats(socket) {
    const info = String((await once(socket, "data"))[0]);
    return /"tls_(?:required|available)":true/.test(info);
  },
  async postgres(socket) {
    socket.write(sslRequest);
    return String((await once(socket, "data"))[0]) === "S";
  },
};
