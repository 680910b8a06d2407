import type { FailureSeen, CallOutcome, Tally } from "./evidence.ts";

/** Number of failures with different bodies that begin a rest. */
const minFailures = 3;
/** Accounts, and models, whose calls must fail before what they share is blamed. */
const minGroups = 2;
/** Time for which an answer speaks for what its account or model has in common with those that fail. */
const goodForMs = 10_000;

/** Whom a rest concerns: what of the channel, and whether one account or all. */
export interface Extent {
  /** The whole of what failed (the channel, or the key), or only one model of it. */
  readonly of: "whole" | "model";
  readonly for: "account" | "all";
}

/** A failed call that is to be judged. */
export interface Judged {
  readonly account: string;
  readonly model: string;
  readonly key: string;
  readonly failed: FailureSeen;
  /** The vendor sent a retry-after or refused the key: one failure is enough for its account. */
  readonly isExplicit: boolean;
  /** The failure concerns the key with every model, or the key has only one model. */
  readonly wholeAtOnce: boolean;
  /** True if the extent has rested before and has not worked since: one more failure is enough there. */
  readonly onProbation: (extent: Extent) => boolean;
}

const all = { for: "all" } as const;
const account = { for: "account" } as const;

/**
 * Returns the extent that a failure, together with those before it, takes out: the widest extent that the evidence carries;
 * undefined: nothing yet. `tallies` are the channel's, within the window, the failure among them.
 *
 * - An account's calls take out a extent for that account where at least three bodies failed, and at least half of its
 *   outcomes since the first of those failures. What was good before it does not count: an outage after a thousand good
 *   calls is found as quickly as one at the start.
 * - A extent is out for all only where at least two accounts fail, and more accounts fail than were answered in the last
 *   seconds: each account has one vote, however many calls it sends.
 * - The whole of a channel or key is out only where several models fail, and more of them than answered.
 * - What no client can bring about needs neither several accounts nor several models, and of a key, which its vendor then
 *   refuses, no second failure either.
 */
export function judge(tallies: readonly Tally[], judged: Judged, now: number): Extent | undefined {
  return extentsOf(judged).find((extent) => holds(extent, tallies, judged, now));
}

/** The extents that a failure can take out, widest first. */
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

/** Returns whether several accounts, or models, fail mostly, and more of them than were answered lately without failing so. */
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
 * Selects the failures that count together with one: certain failures only with each other, failures of a channel
 * also for its models.
 */
function isLike(failed: FailureSeen): (outcome: CallOutcome) => boolean {
  return ({ failed: known }) => {
    if (known === undefined) return false;
    if (failed.isCertain === true) return known.isCertain === true;
    return known.of === failed.of || (known.of === "channel" && failed.of === "model");
  };
}

/** Failures of different bodies. A failure without a known body counts as different. */
function distinct(failures: readonly CallOutcome[]): number {
  const bodies = new Set<string>();
  let others = 0;
  for (const { failed } of failures) {
    if (failed?.body === undefined || failed.isCertain === true) others++;
    else bodies.add(failed.body);
  }
  return bodies.size + others;
}
