/** Returns a URL's host in the form that names and addresses are compared in: an IPv6 address without brackets. */
export function hostOf({ hostname }: URL): string {
  return withoutBrackets(hostname);
}

/** Removes the brackets of an IPv6 address that an operator wrote. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}
