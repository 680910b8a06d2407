/**
 * The secrets of a deployment: the one in use, and during a rotation the other one, which is accepted. To rotate without
 * a stop, give every process the new one as MODELGATE_SECRET_BEFORE, then swap the two everywhere, then drop the old.
 */
export type Secrets = readonly [inUse: string, ...accepted: string[]];

/** Joins the secret in use and the one that a rotation still accepts. */
export function secretsOf(inUse: string, before: string | undefined): Secrets {
  return before === undefined ? [inUse] : [inUse, before];
}
