import { Socket } from "node:net";
import { proxyAddress } from "@modelgate/contracts";
import { SocksClient, SocksClientError } from "socks";
import { buildConnector, Client } from "undici";
import { hostOf, withoutBrackets } from "./host-of.ts";
import { checkAddress, vendorLookup } from "./blocked-address.ts";

/** Error of a proxy that did not open a connection to its target. No byte was sent to the target. */
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
 * Creates a connector that opens connections through a proxy. Fails with ProxyFailed, or with an error of TLS. The
 * proxy gets the target's host, and resolves it if it is a name. TLS is negotiated with the target inside the tunnel,
 * so that the proxy cannot read the request.
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
 * Opens a connection through a proxy. undici's Socks5ProxyAgent is not used: it is experimental, returns no socket,
 * refuses the scheme socks5h, and sends IPv6 addresses as names.
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

/** Default port of SOCKS5. */
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

/** Converts an error to ProxyFailed without a cause: errors of the SOCKS client contain the proxy's password. */
function proxyError(proxy: URL, error: unknown, timeoutMs: number): ProxyFailed {
  if (error instanceof ProxyFailed) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : "failed";
  const hasTimedOut = (error instanceof Error && error.name === "TimeoutError") || code === "UND_ERR_CONNECT_TIMEOUT";
  if (hasTimedOut || (error instanceof SocksClientError && message === "Proxy connection timed out"))
    return new ProxyFailed(proxy, `did not answer within ${timeoutMs} ms`, proxyTimeoutCode);
  // The message is empty if several addresses were tried.
  if (/^E[A-Z0-9]+$/.test(code)) return new ProxyFailed(proxy, `cannot be reached: ${code}`, code);
  return new ProxyFailed(proxy, `failed: ${message}`);
}
