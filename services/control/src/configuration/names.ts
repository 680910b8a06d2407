/** The variables that a configuration may name with env:NAME and ${NAME}: all there are, since an operator chooses. */
export function namedVariables(): Readonly<Record<string, string | undefined>> {
  // oxlint-disable-next-line no-restricted-properties
  return process.env;
}
