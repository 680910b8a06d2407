const prefix = "organisation:";

/** Returns the name of an organisation where the id of an account is expected. No account has such an id. */
export function organisationScope(organisation: string): string {
  return prefix + organisation;
}

/** Returns the organisation of a name from `organisationScope`; undefined for the id of an account. */
export function organisationOfScope(scope: string | undefined): string | undefined {
  return scope?.startsWith(prefix) === true ? scope.slice(prefix.length) : undefined;
}
