import { isIP } from "node:net";
import { Client } from "undici";

/** Connections to a URL's host at the one address that was looked at; the name stays in the host header and in TLS. */
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
