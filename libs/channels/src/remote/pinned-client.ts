import { isIP } from "node:net";
import { Client } from "undici";
import { connectThrough } from "../proxy.ts";

/** Creates an HTTP client that connects to `address`. The Host header and TLS use the URL's host. */
export function openPinnedClient(url: URL, address: string, timeoutMs: number, proxy: string | undefined): Client {
  if (proxy !== undefined) {
    const connect = connectThrough(proxy, timeoutMs);
    // undici gets the name for TLS from `target.host`, which remains the URL's host.
    return new Client(url.origin, {
      // The proxy gets the checked address, because it could resolve the name to another address.
      connect: (target, callback) => connect({ ...target, hostname: address }, callback),
    });
  }
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
