import type { FailureEvidence, CallOutcome, Tally } from "./evidence.ts";

/** Number of failures with different request bodies that start a cooldown. */
const minFailures = 3;
/** Minimum number of accounts (or models) that must fail before a cooldown concerns all accounts (or all models). */
const minGroups = 2;
/** Time for which a success shows that its account or model works. */
const successMemoryMs = 10_000;

/** Extent of a cooldown: one model or all, and one account or all. */
export interface Extent {
  readonly models: "all models" | "one model";
  readonly accounts: "all accounts" | "one account";
}

/** A failed call, with the data that `findBlamedExtent` needs. */
export interface BlamedFailure {
  readonly account: string;
  readonly model: string;
  readonly key: string;
  readonly failed: FailureEvidence;
  /**
   * True if the vendor sent a retry-after or refused the key. One such failure starts a cooldown of the call's account.
   */
  readonly isExplicit: boolean;
  /** True if the vendor refused the key, or the channel serves only one model. */
  readonly concernsAllModels: boolean;
  /** Returns true if a cooldown of this extent has ended and no call has succeeded since. */
  readonly isOnProbation: (extent: Extent) => boolean;
}

const allAccounts = { accounts: "all accounts" } as const;
const oneAccount = { accounts: "one account" } as const;

/** Returns the widest extent that a failure puts into a cooldown. The README lists the rules. */
export function findBlamedExtent(tallies: readonly Tally[], failure: BlamedFailure, now: number): Extent | undefined {
  return possibleExtents(failure).find((extent) => hasEnoughEvidence(extent, tallies, failure, now));
}

/** Lists the extents that a failure can put into a cooldown, widest first. */
function possibleExtents({ failed, concernsAllModels }: BlamedFailure): readonly Extent[] {
  if (failed.of === "model") return [allAccounts, oneAccount].map((accounts) => ({ models: "one model", ...accounts }));
  if (failed.isNeverClientFault === true) return [{ models: "all models", ...allAccounts }];
  if (concernsAllModels) return [allAccounts, oneAccount].map((accounts) => ({ models: "all models", ...accounts }));
  return [
    { models: "all models", ...allAccounts },
    { models: "one model", ...allAccounts },
    { models: "all models", ...oneAccount },
    { models: "one model", ...oneAccount },
  ];
}

function hasEnoughEvidence(extent: Extent, tallies: readonly Tally[], failure: BlamedFailure, now: number): boolean {
  const { failed, isExplicit, concernsAllModels, isOnProbation } = failure;
  const relevant = tallies.filter(
    (tally) =>
      (failed.of !== "key" || tally.key === failure.key) &&
      (extent.models === "all models" || tally.model === failure.model) &&
      (extent.accounts === "all accounts" || tally.account === failure.account),
  );
  const outcomes = relevant.flatMap((tally) => tally.outcomes);
  const isNeverClientFault = failed.isNeverClientFault === true;
  const isEnough = isOnProbation(extent) || (isExplicit && (isNeverClientFault || extent.accounts === "one account"));
  const minimum = isEnough ? 1 : isExplicit ? minGroups : minFailures;
  if (countDistinct(outcomes.filter(similarFailureFilter(failed))) < minimum) return false;
  if (
    extent.models === "all models" &&
    !concernsAllModels &&
    !isNeverClientFault &&
    !majorityFails(relevant, failed, "model", now)
  )
    return false;
  if (extent.accounts === "all accounts" && !isNeverClientFault) return majorityFails(relevant, failed, "account", now);
  return (isExplicit && extent.accounts === "one account") || failsMostly(outcomes, failed);
}

/**
 * Compares the failures that are similar to `failed` with the successes since the first of them. Returns true if there
 * are at least as many failures.
 */
function failsMostly(outcomes: readonly CallOutcome[], failed: FailureEvidence): boolean {
  const failures = outcomes.filter(similarFailureFilter(failed));
  const since = Math.min(...failures.map(({ at }) => at));
  return (
    failures.length > 0 && failures.length >= outcomes.filter((each) => hasSucceeded(each) && each.at >= since).length
  );
}

/**
 * Returns true if at least two accounts (or models) mostly fail, and if these are more than the others that recently
 * succeeded.
 */
function majorityFails(
  tallies: readonly Tally[],
  failed: FailureEvidence,
  by: "account" | "model",
  now: number,
): boolean {
  const groups = Map.groupBy(tallies, (tally) => tally[by]);
  let failing = 0;
  let succeeding = 0;
  for (const group of groups.values()) {
    const outcomes = group.flatMap((tally) => tally.outcomes);
    if (failsMostly(outcomes, failed)) failing++;
    else if (outcomes.some((each) => hasSucceeded(each) && each.at > now - successMemoryMs)) succeeding++;
  }
  return failing >= minGroups && failing > succeeding;
}

function hasSucceeded({ failed }: CallOutcome): boolean {
  return failed === undefined;
}

/** Returns a filter for failures that are evidence together with `failed`. */
function similarFailureFilter(failed: FailureEvidence): (outcome: CallOutcome) => boolean {
  return ({ failed: other }) => {
    if (other === undefined) return false;
    if (failed.isNeverClientFault === true) return other.isNeverClientFault === true;
    return other.of === failed.of || (other.of === "channel" && failed.of === "model");
  };
}

/** Counts failures. Several with the same request body count as one, because the body may be the cause. */
function countDistinct(failures: readonly CallOutcome[]): number {
  const bodies = new Set<string>();
  let countedEachTime = 0;
  for (const { failed } of failures) {
    if (failed?.body === undefined || failed.isNeverClientFault === true) countedEachTime++;
    else bodies.add(failed.body);
  }
  return bodies.size + countedEachTime;
}
