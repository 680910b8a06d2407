import { isIP } from "node:net";
import { Client } from "undici";

/**
 * Creates an HTTP client that connects to `address`, which was checked, and uses the URL's host for the Host header and
 * TLS.
 */
export function pinnedClient(url: URL, address: string, timeoutMs: number): Client {
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
