import type { Logger, Redis } from "@modelgate/platform";
import { showStates } from "./channel-metrics.ts";
import { followStates } from "./follow-states.ts";
import { isResting, restAfter } from "./rest.ts";
import { stateKeys, takeOut } from "./state.ts";

/** Which channels and keys may be used now. Looking is a map access; sharing happens off the calls' path. */
export interface Health extends AsyncDisposable {
  /** When a channel or key may be used again, Unix ms; 0: now. Infinity: it is switched off, or was taken out. */
  restsUntil(place: string): number;
  /** Whether its rest is over and no vendor has answered since: one call at a time may try it. */
  isUnproven(place: string): boolean;
  /** A call failed; `restMs` rests it at once for that long (a vendor's retry-after, a refused key). */
  failed(place: string, reason: string, restMs?: number): void;
  /** The vendor will not have this key at all: it is taken out until somebody puts it back. */
  refused(place: string, reason: string): void;
  /** An answer began: the rest is over. */
  answered(place: string): void;
  /** An answer came to its end: failures before it count no more. */
  worked(place: string): void;
}

/** Follows and shares the channels' states through Redis; without Redis this process goes by what it saw itself. */
export async function openHealth({ redis, log }: { redis: Redis; log: Logger }): Promise<Health> {
  const failures = new Map<string, number>();
  const states = await followStates({ redis, log, forgotten: (place) => failures.delete(place) });
  const { coolDowns, switched, share } = states;
  showStates({ coolDowns, switched });
  return {
    restsUntil(place) {
      if (switched.has(place)) return Infinity;
      const until = coolDowns.get(place)?.until ?? 0;
      return until > Date.now() ? until : 0;
    },
    isUnproven: (place) => coolDowns.has(place),
    failed(place, reason, restMs) {
      const now = Date.now();
      const last = coolDowns.get(place);
      // Another replica may have seen more failures than this one.
      const before = Math.max(failures.get(place) ?? 0, last?.failures ?? 0);
      const coolDown = restAfter(last, { reason, before, restMs }, now);
      if (coolDown === "ignored") return;
      failures.set(place, before + 1);
      if (coolDown === "counted") return;
      coolDowns.set(place, coolDown);
      log.warn({ place, reason, restMs: coolDown.until - now }, "channel rests");
      share(
        redis
          .hset(stateKeys.health, place, JSON.stringify(coolDown))
          .then(() => redis.publish(stateKeys.changes, place)),
      );
    },
    refused(place, reason) {
      if (switched.has(place)) return;
      switched.set(place, { reason, since: new Date().toISOString(), by: "vendor" });
      log.error(
        { place, reason },
        "a vendor refuses a key: it is taken out until it is enabled or the configuration changes",
      );
      share(takeOut(redis, place, reason));
    },
    worked(place) {
      if (!isResting(coolDowns.get(place), Date.now())) failures.delete(place);
    },
    answered(place) {
      // What works while its place rests was sent before the rest: a vendor's retry-after still holds.
      if (isResting(coolDowns.get(place), Date.now())) return;
      if (!coolDowns.delete(place)) return;
      log.info({ place }, "channel works again");
      share(redis.hdel(stateKeys.health, place).then(() => redis.publish(stateKeys.changes, place)));
    },
    [Symbol.asyncDispose]: () => states[Symbol.asyncDispose](),
  };
}
