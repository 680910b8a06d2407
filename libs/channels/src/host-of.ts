/** Returns a URL's host. An IPv6 address has no brackets. */
export function hostOf({ hostname }: URL): string {
  return withoutBrackets(hostname);
}

/** Removes the brackets around an IPv6 address. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}
