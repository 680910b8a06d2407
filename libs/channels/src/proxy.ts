import { Socket } from "node:net";
import { proxyAddress } from "@modelgate/contracts";
import { SocksClient, SocksClientError } from "socks";
import { buildConnector, Client } from "undici";
import { hostOf, withoutBrackets } from "./host-of.ts";
import { checkAddress, vendorLookup } from "./link-local.ts";

/**
 * Error of a proxy that did not open a connection to its target. No byte was sent to the target. `code` is that of the
 * operating system if there is one, and `proxyTimeoutCode` if the proxy did not answer in time.
 */
export class ProxyFailed extends Error {
  override readonly name = "ProxyFailed";
  readonly code: string;
  constructor(proxy: URL, reason: string, code = "PROXY_FAILED") {
    super(`The proxy ${proxyAddress(proxy.href)} ${reason}`);
    this.code = code;
  }
}

/** Code of `ProxyFailed` after a timeout. */
export const proxyTimeoutCode = "PROXY_TIMEOUT";

/**
 * Creates a connector that opens each connection through a proxy: with CONNECT for `http:` and `https:`, and with
 * SOCKS5 otherwise. The proxy gets the target's name and resolves it. TLS is negotiated with the target inside the
 * tunnel. Fails with ProxyFailed, or with the error of the target's TLS.
 */
export function connectThrough(
  proxyUrl: string,
  timeoutMs: number,
  options: { readonly allowH2?: boolean } = {},
): buildConnector.connector {
  const proxy = new URL(proxyUrl);
  const secure = buildConnector({ ...options, timeout: timeoutMs });
  return (target, callback) => {
    const isSecure = target.protocol === "https:";
    const port = Number(target.port) || (isSecure ? 443 : 80);
    openTunnel(proxy, withoutBrackets(target.hostname), port, timeoutMs).then(
      (socket) => {
        if (isSecure) secure({ ...target, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: unknown) => callback(proxyError(proxy, error, timeoutMs), null),
    );
  };
}

/**
 * Opens a connection through a proxy to a host. An IPv6 address has no brackets. CONNECT is sent by undici. Its
 * Socks5ProxyAgent is not used: it is experimental and prints a warning about that, it returns no socket, which
 * WebSockets need, it refuses the scheme socks5h, and it sends an IPv6 address as a name in brackets.
 */
async function openTunnel(proxy: URL, host: string, port: number, timeoutMs: number): Promise<Socket> {
  checkAddress(proxy);
  return proxy.protocol.startsWith("socks")
    ? await openSocks(proxy, host, port, timeoutMs)
    : await openConnect(proxy, host, port, timeoutMs);
}

async function openSocks(proxy: URL, host: string, port: number, timeoutMs: number): Promise<Socket> {
  const { username, password } = proxy;
  const address = { host: hostOf(proxy), port: Number(proxy.port) || socksPort };
  const credentials =
    username === "" ? {} : { userId: decodeURIComponent(username), password: decodeURIComponent(password) };
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const connect = buildConnector({ timeout: timeoutMs, lookup: vendorLookup });
  connect({ protocol: "http:", hostname: address.host, port: String(address.port) }, (error, connected) =>
    error === null ? resolve(connected) : reject(error),
  );
  const { socket } = await SocksClient.createConnection({
    command: "connect",
    proxy: { ...address, type: 5, ...credentials },
    destination: { host, port },
    timeout: timeoutMs,
    existing_socket: await promise,
  });
  return socket;
}

/** Port of a SOCKS5 proxy whose URL names none. */
const socksPort = 1080;

async function openConnect(proxy: URL, host: string, port: number, timeoutMs: number): Promise<Socket> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { username, password } = proxy;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const client = new Client(proxy.origin, { connect: { timeout: timeoutMs, lookup: vendorLookup, allowH2: false } });
  try {
    const { statusCode, socket } = await client.connect({
      path: target,
      headers: {
        host: target,
        ...(username === "" ? {} : { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (statusCode >= 200 && statusCode < 300 && socket instanceof Socket) return socket;
    socket.on("error", () => undefined).destroy();
    throw new ProxyFailed(proxy, `answered ${statusCode} to CONNECT ${target}`);
  } finally {
    // undici's client no longer owns the socket of an open tunnel, so this does not close that socket.
    void client.destroy();
  }
}

/**
 * Converts an error of a tunnel to ProxyFailed. The error itself is not kept as the cause, because errors of the SOCKS
 * client contain the proxy's password.
 */
function proxyError(proxy: URL, error: unknown, timeoutMs: number): ProxyFailed {
  if (error instanceof ProxyFailed) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : "failed";
  const hasTimedOut = (error instanceof Error && error.name === "TimeoutError") || code === "UND_ERR_CONNECT_TIMEOUT";
  if (hasTimedOut || (error instanceof SocksClientError && message === "Proxy connection timed out"))
    return new ProxyFailed(proxy, `did not answer within ${timeoutMs} ms`, proxyTimeoutCode);
  // Codes of the operating system say more than the message, which is empty if several addresses were tried.
  if (/^E[A-Z0-9]+$/.test(code)) return new ProxyFailed(proxy, `cannot be reached: ${code}`, code);
  return new ProxyFailed(proxy, `failed: ${message}`);
}
