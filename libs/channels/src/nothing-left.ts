import type { Candidate } from "@modelgate/catalog";
import { Failure } from "@modelgate/contracts";
import type { TurnedAway } from "./gate.ts";
import { soonest, type Rests } from "./pick.ts";

/** The `retry-after` where it is unknown when a channel may be used again. */
const unknownRestSeconds = 30;

/**
 * Why no attempt could be made, with when to ask again: 429 where a channel is at its limit, 503 where all rest, are
 * being tried by another call, or are switched off.
 */
export function nothingLeft(
  { candidates, model }: { readonly candidates: readonly Candidate[]; readonly model: string },
  away: readonly TurnedAway[],
  rests: Rests,
): Failure {
  const full = away.filter(({ why }) => why === "full");
  if (full.length > 0)
    return new Failure("channel_concurrency_exceeded", undefined, { retryAfterSeconds: secondsUntilFirst(full) });
  const until = soonest(candidates, rests);
  const wait = away.length > 0 ? secondsUntilFirst(away) : until === undefined ? unknownRestSeconds : secondsTo(until);
  return new Failure(
    "no_available_channel",
    `No channel of ${JSON.stringify(model)} is available now; try again in ${wait} s.`,
    { retryAfterSeconds: wait },
  );
}

function secondsUntilFirst(away: readonly TurnedAway[]): number {
  return Math.max(1, Math.ceil(Math.min(...away.map(({ retryAfterMs }) => retryAfterMs)) / 1_000));
}

function secondsTo(timeMs: number): number {
  return Math.max(1, Math.ceil((timeMs - Date.now()) / 1_000));
}
