const prefix = "organisation:";

/**
 * Returns the name that stands for an organisation where the id of an account is expected: in the records of its people
 * and budgets, and in audit entries about the organisation itself. No account has such an id, so code that knows only
 * accounts gives no access to it.
 */
export function organisationScope(organisation: string): string {
  return prefix + organisation;
}

/**
 * Returns the organisation that a name of `organisationScope` stands for; undefined for the id of an account, or if
 * `scope` is undefined.
 */
export function organisationOfScope(scope: string | undefined): string | undefined {
  return scope?.startsWith(prefix) === true ? scope.slice(prefix.length) : undefined;
}
