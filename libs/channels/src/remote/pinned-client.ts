import { isIP } from "node:net";
import { Client } from "undici";
import { connectThrough } from "../proxy.ts";

/**
 * Creates an HTTP client that connects to `address`, which was checked, and uses the URL's host for the Host header and
 * TLS. A proxy gets the URL's host instead of the address, because many proxies allow only named hosts.
 */
export function pinnedClient(url: URL, address: string, timeoutMs: number, proxy: string | undefined): Client {
  if (proxy !== undefined) return new Client(url.origin, { connect: connectThrough(proxy, timeoutMs) });
  const family = isIP(address);
  return new Client(url.origin, {
    connect: {
      timeout: timeoutMs,
      autoSelectFamily: false,
      lookup: (_host, options, done) =>
        options.all === true ? done(null, [{ address, family }]) : done(null, address, family),
    },
  });
}
