import type { IncomingHttpHeaders } from "node:http";

/**
 * The address that a call comes from: the connection's other end, or with proxies before control the one that the
 * outermost of them saw. What stands further left in the header is what a client says of itself.
 */
export function addressBefore(
  proxies: number,
): (call: { readonly headers: IncomingHttpHeaders; readonly address: string }) => string {
  return ({ headers, address }) => {
    if (proxies === 0) return address;
    const written = headers["x-forwarded-for"];
    const hops = (Array.isArray(written) ? written.join(",") : (written ?? "")).split(",").map((hop) => hop.trim());
    return hops.at(-proxies) || address;
  };
}
