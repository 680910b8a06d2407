import type { IncomingHttpHeaders } from "node:http";
import type { VariableReader } from "./variables.ts";

/** Reads the number of proxies before this process. */
export function proxiesVariable(read: VariableReader): number {
  return read.integer(
    "PROXIES",
    0,
    "Number of proxies in front of the edge and the console that add an address to X-Forwarded-For. With 2, the client's address is the second-last entry.",
    { max: 10, formerName: "CONSOLE_PROXIES" },
  );
}

interface AddressedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * Returns the address of a request's client: behind proxies, the one that the outermost proxy saw. Returns "" if the
 * header has fewer entries than proxies, because the remote address is then a proxy's.
 */
export function clientAddress({ headers, socket }: AddressedRequest, proxies: number): string {
  if (proxies === 0) return socket.remoteAddress ?? "";
  const forwardedFor = headers["x-forwarded-for"];
  const hops = (Array.isArray(forwardedFor) ? forwardedFor.join(",") : (forwardedFor ?? ""))
    .split(",")
    .map((hop) => hop.trim());
  return withoutPort(hops.at(-proxies) ?? "");
}

/** Removes the port that some proxies add (`192.0.2.7:443`, `[2001:db8::7]:443`). */
function withoutPort(address: string): string {
  const [, inBrackets, ipv4] = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(address) ?? [];
  return inBrackets ?? ipv4 ?? address;
}
