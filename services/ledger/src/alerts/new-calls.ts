/** Times of the first and the last refusal. */
interface RefusalTimes {
  readonly first: number;
  readonly last: number;
}

/** Summary of an account's new calls. */
export interface NewCalls {
  readonly tokens: Set<string>;
  /** Times of refusals, by the id of the budget that refused. */
  readonly refused: Map<string, RefusalTimes>;
  earliestMs: number;
}

/** Returns the summary of no calls. */
export function noNewCalls(): NewCalls {
  return { tokens: new Set(), refused: new Map(), earliestMs: Number.POSITIVE_INFINITY };
}

/** Adds a call. `budget` is the id of the budget that refused it. */
export function addCall(calls: NewCalls, call: { tokenId: string; timeMs: number; budget?: string }): void {
  const { tokenId, timeMs, budget } = call;
  calls.tokens.add(tokenId);
  calls.earliestMs = Math.min(calls.earliestMs, timeMs);
  if (budget !== undefined) addRefusals(calls, budget, { first: timeMs, last: timeMs });
}

/** Adds the calls of another summary. */
export function mergeCalls(calls: NewCalls, { tokens, refused, earliestMs }: NewCalls): void {
  for (const id of tokens) calls.tokens.add(id);
  for (const [budget, times] of refused) addRefusals(calls, budget, times);
  calls.earliestMs = Math.min(calls.earliestMs, earliestMs);
}

function addRefusals({ refused }: NewCalls, budget: string, { first, last }: RefusalTimes): void {
  const before = refused.get(budget) ?? { first, last };
  refused.set(budget, { first: Math.min(first, before.first), last: Math.max(last, before.last) });
}

/** Returns whether the first or the last refusal by a budget was in a period. */
export function hasRefusedIn(
  { refused }: NewCalls,
  budget: string,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): boolean {
  const { first, last } = refused.get(budget) ?? {};
  return [first, last].some((time) => time !== undefined && time >= startMs && time < endMs);
}
