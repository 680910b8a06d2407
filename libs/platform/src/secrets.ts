/**
 * The secrets of a deployment: the one in use, and during a rotation the other one, which is accepted. To rotate without
 * a stop, give every process the new one as MODELGATE_SECRET_BEFORE, then swap the two everywhere, then drop the old.
 */
export type Secrets = readonly [inUse: string, ...accepted: string[]];

/** The secrets that a process's environment names. */
export function secretsOf(env: {
  readonly MODELGATE_SECRET: string;
  readonly MODELGATE_SECRET_BEFORE: string | undefined;
}): Secrets {
  const { MODELGATE_SECRET: inUse, MODELGATE_SECRET_BEFORE: before } = env;
  return before === undefined ? [inUse] : [inUse, before];
}
