import type { FailureSeen, CallOutcome, Tally } from "./evidence.ts";

/** Number of failures with different bodies that begin a rest. */
const minFailures = 3;
/** Minimum number of accounts, or of models, whose calls must fail before the part that they share is blamed. */
const minGroups = 2;
/** Time for which a success counts as evidence for its account or model. */
const goodForMs = 10_000;

/** Extent of a rest: which part of the channel, and for one account or for all. */
export interface Extent {
  /** The complete scope that failed (the channel, or the key), or one model of it. */
  readonly of: "whole" | "model";
  readonly for: "account" | "all";
}

/** A failed call that is judged. */
export interface Judged {
  readonly account: string;
  readonly model: string;
  readonly key: string;
  readonly failed: FailureSeen;
  /** The vendor sent a retry-after or refused the key: one failure suffices for its account. */
  readonly isExplicit: boolean;
  /** The failure concerns the key with every model, or the key has only one model. */
  readonly wholeAtOnce: boolean;
  /** Returns whether an extent has rested and not worked since: one more failure then suffices. */
  readonly onProbation: (extent: Extent) => boolean;
}

const all = { for: "all" } as const;
const account = { for: "account" } as const;

/**
 * Returns the widest extent that must rest because of a failure and those before it; undefined if the evidence does not
 * suffice. `tallies` are those of the channel within the window, including the failure.
 * - An extent rests for one account if at least three different bodies failed, and at least half of the account's
 *   outcomes since the first of these failures are failures. Earlier successes do not count: an outage after a thousand
 *   successful calls is detected as quickly as one at the start.
 * - An extent rests for all accounts only if at least two accounts fail, and more accounts fail than succeeded in the
 *   last seconds: each account has one vote, regardless of its number of calls.
 * - A complete channel or key rests only if several models fail, and more of them than succeeded.
 * - A failure that no client can cause does not need several accounts or models; if the vendor refused the key, it does
 *   not need a second failure either.
 */
export function judge(tallies: readonly Tally[], judged: Judged, now: number): Extent | undefined {
  return extentsOf(judged).find((extent) => holds(extent, tallies, judged, now));
}

/** Lists the extents that a failure can affect, widest first. */
function extentsOf({ failed, wholeAtOnce }: Judged): readonly Extent[] {
  if (failed.of === "model") return [all, account].map((who) => ({ of: "model", ...who }));
  if (failed.isCertain === true) return [{ of: "whole", ...all }];
  if (wholeAtOnce) return [all, account].map((who) => ({ of: "whole", ...who }));
  return [
    { of: "whole", ...all },
    { of: "model", ...all },
    { of: "whole", ...account },
    { of: "model", ...account },
  ];
}

function holds(extent: Extent, tallies: readonly Tally[], judged: Judged, now: number): boolean {
  const { failed, isExplicit, wholeAtOnce, onProbation } = judged;
  const relevant = tallies.filter(
    (tally) =>
      (failed.of !== "key" || tally.key === judged.key) &&
      (extent.of === "whole" || tally.model === judged.model) &&
      (extent.for === "all" || tally.account === judged.account),
  );
  const outcomes = relevant.flatMap((tally) => tally.outcomes);
  const isSure = failed.isCertain === true;
  const isEnough = onProbation(extent) || (isExplicit && (isSure || extent.for === "account"));
  const least = isEnough ? 1 : isExplicit ? minGroups : minFailures;
  if (distinct(outcomes.filter(isLike(failed))) < least) return false;
  if (extent.of === "whole" && !wholeAtOnce && !isSure && !maxFail(relevant, failed, "model", now)) return false;
  if (extent.for === "all" && !isSure) return maxFail(relevant, failed, "account", now);
  return (isExplicit && extent.for === "account") || isMostlyFailing(outcomes, failed);
}

/** Returns whether at least half of the outcomes since the first failure are failures. */
function isMostlyFailing(outcomes: readonly CallOutcome[], failed: FailureSeen): boolean {
  const failures = outcomes.filter(isLike(failed));
  const since = Math.min(...failures.map(({ at }) => at));
  return failures.length > 0 && failures.length >= outcomes.filter((each) => isGood(each) && each.at >= since).length;
}

/** Returns whether several accounts, or models, mostly fail, and more of them than recently succeeded. */
function maxFail(tallies: readonly Tally[], failed: FailureSeen, by: "account" | "model", now: number): boolean {
  const groups = Map.groupBy(tallies, (tally) => tally[by]);
  let failing = 0;
  let good = 0;
  for (const group of groups.values()) {
    const outcomes = group.flatMap((tally) => tally.outcomes);
    if (isMostlyFailing(outcomes, failed)) failing++;
    else if (outcomes.some((each) => isGood(each) && each.at > now - goodForMs)) good++;
  }
  return failing >= minGroups && failing > good;
}

function isGood({ failed }: CallOutcome): boolean {
  return failed === undefined;
}

/**
 * Returns a filter for the failures that count together with one: certain failures count only with certain ones;
 * failures of a channel also count for its models.
 */
function isLike(failed: FailureSeen): (outcome: CallOutcome) => boolean {
  return ({ failed: known }) => {
    if (known === undefined) return false;
    if (failed.isCertain === true) return known.isCertain === true;
    return known.of === failed.of || (known.of === "channel" && failed.of === "model");
  };
}

/** Selects failures of different bodies. A failure without a known body counts as different. */
function distinct(failures: readonly CallOutcome[]): number {
  const bodies = new Set<string>();
  let others = 0;
  for (const { failed } of failures) {
    if (failed?.body === undefined || failed.isCertain === true) others++;
    else bodies.add(failed.body);
  }
  return bodies.size + others;
}
