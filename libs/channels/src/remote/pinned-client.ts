import { isIP } from "node:net";
import { Client } from "undici";

/**
 * Creates a client that connects to a URL's host at the address that was checked; the host header and TLS use the name.
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
