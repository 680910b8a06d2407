import { present } from "@modelgate/contracts";
import type { CoolDown, RestKind } from "./state.ts";

/** First and longest rest of a scope whose calls fail: each rest in a row is twice as long as the one before. */
const failingMs = { first: 5_000, longest: 300_000 } as const;
/** First and longest pause before a key that its vendor refuses is tried again, likewise. */
const refusedMs = { first: 60_000, longest: 3_600_000 } as const;

/** What begins a rest. */
export interface RestCause {
  readonly kind: RestKind;
  readonly reason: string;
  /** The rest that the vendor asked for: taken as it is. */
  readonly askedMs?: number | undefined;
  /** Rests in a row before this one. */
  readonly before: number;
  readonly account?: string | undefined;
  /** What the vendor said, as it stands in the state. */
  readonly said?: string | undefined;
}

/** Whether a scope rests now. */
export function isResting(coolDown: CoolDown | undefined, now: number): boolean {
  return coolDown !== undefined && coolDown.until > now;
}

/**
 * The rest that a cause begins; undefined while the scope rests already, for calls that were under way when the rest
 * began fail with it and say nothing new, unless the new rest is one that a vendor asked for and is longer.
 */
export function restFor(known: CoolDown | undefined, cause: RestCause, now: number): CoolDown | undefined {
  const { kind, reason, askedMs, account, said } = cause;
  const resting = isResting(known, now);
  if (resting && now + (askedMs ?? 0) <= (known?.until ?? 0)) return undefined;
  const rests = resting ? (known?.rests ?? 1) : cause.before + 1;
  const { first, longest } = kind === "refused" ? refusedMs : failingMs;
  const restMs = askedMs ?? Math.min(first * 2 ** (rests - 1), longest);
  const since = new Date(now).toISOString();
  return present({ kind, reason, since, until: now + restMs, rests, account, said });
}
