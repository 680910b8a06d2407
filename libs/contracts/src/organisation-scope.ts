const prefix = "organisation:";

/**
 * Returns the text that names an organisation in places where an account's id is expected. No account has such an id.
 */
export function organisationScope(organisation: string): string {
  return prefix + organisation;
}

/** Returns the organisation in a text from `organisationScope`; undefined for the id of an account. */
export function organisationOfScope(scope: string | undefined): string | undefined {
  return scope?.startsWith(prefix) === true ? scope.slice(prefix.length) : undefined;
}
