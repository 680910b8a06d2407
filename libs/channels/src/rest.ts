import type { CoolDown } from "./state.ts";

/** Failures in a row after which a channel or key rests. */
const failuresToCool = 3;
const shortestRestMs = 5_000;
/** Longest rest that no vendor asked for. */
const longestRestMs = 300_000;

/** A failure, as it is counted. */
export interface CountedFailure {
  readonly reason: string;
  /** Failures in a row before this one. */
  readonly before: number;
  /** The rest that a vendor asked for, or that its refusal deserves: taken as it is. */
  readonly restMs?: number | undefined;
}

/** Whether a place rests now. */
export function isResting(coolDown: CoolDown | undefined, now: number): boolean {
  return coolDown !== undefined && coolDown.until > now;
}

/**
 * What a failure means for a place: `ignored` while it rests already, for calls that were under way when the rest
 * began fail with it and say nothing new, unless a vendor asks for a longer rest; `counted`; or a new rest, twice as
 * long as the one before, within bounds. What fails again after its rest rests again at once.
 */
export function restAfter(
  coolDown: CoolDown | undefined,
  { reason, before, restMs }: CountedFailure,
  now: number,
): CoolDown | "counted" | "ignored" {
  if (isResting(coolDown, now) && now + (restMs ?? 0) <= (coolDown?.until ?? 0)) return "ignored";
  const failures = before + 1;
  if (restMs === undefined && coolDown === undefined && failures < failuresToCool) return "counted";
  const rest = restMs ?? Math.min(shortestRestMs * 2 ** Math.max(0, failures - failuresToCool), longestRestMs);
  return { reason, since: new Date(now).toISOString(), until: now + rest, failures };
}
