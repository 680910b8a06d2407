/** A URL's host as names and addresses are compared: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return withoutBrackets(hostname);
}

/** A host as an operator may write it, likewise. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}
