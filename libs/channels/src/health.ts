import { openSubscriber, type Logger, type Redis } from "@modelgate/platform";
import { isResting, restAfter } from "./rest.ts";
import { readChannelStates, stateKeys, type CoolDown, type Switched } from "./state.ts";

/** A change whose message was lost is found within this time. */
const pollMs = 10_000;

/** Which channels and keys may be used now. Looking is a map access; sharing happens off the calls' path. */
export interface Health extends AsyncDisposable {
  /** When a channel or key may be used again, Unix ms; 0: now. Infinity: an operator switched the channel off. */
  restsUntil(place: string): number;
  /** A call failed; `restMs` rests it at once for that long (a vendor's retry-after, a refused key). */
  failed(place: string, reason: string, restMs?: number): void;
  worked(place: string): void;
}

/** Follows and shares the channels' states through Redis; without Redis this process goes by what it saw itself. */
export async function openHealth({ redis, log }: { redis: Redis; log: Logger }): Promise<Health> {
  const failures = new Map<string, number>();
  const coolDowns = new Map<string, CoolDown>();
  let switched: ReadonlyMap<string, Switched> = new Map();

  async function refresh(): Promise<void> {
    const states = await readChannelStates(redis);
    switched = states.switched;
    for (const [place, seen] of states.coolDowns)
      if ((coolDowns.get(place)?.until ?? 0) < seen.until) coolDowns.set(place, seen);
    for (const place of coolDowns.keys()) {
      if (states.coolDowns.has(place)) continue;
      coolDowns.delete(place);
      failures.delete(place);
    }
  }
  const quietly = (step: Promise<unknown>): void =>
    void step.catch((error: unknown) => log.debug({ err: error }, "channel states not shared"));

  const subscriber = openSubscriber(redis);
  subscriber.on("error", () => undefined);
  subscriber.on("message", () => quietly(refresh()));
  await subscriber.subscribe(stateKeys.changes);
  await refresh();
  const timer = setInterval(() => quietly(refresh()), pollMs);
  timer.unref();

  return {
    restsUntil(place) {
      if (switched.has(place)) return Infinity;
      const until = coolDowns.get(place)?.until ?? 0;
      return until > Date.now() ? until : 0;
    },
    failed(place, reason, restMs) {
      const now = Date.now();
      const coolDown = restAfter(coolDowns.get(place), { reason, before: failures.get(place) ?? 0, restMs }, now);
      if (coolDown === "ignored") return;
      failures.set(place, (failures.get(place) ?? 0) + 1);
      if (coolDown === "counted") return;
      coolDowns.set(place, coolDown);
      log.warn({ place, reason, restMs: coolDown.until - now }, "channel rests");
      quietly(
        redis
          .hset(stateKeys.health, place, JSON.stringify(coolDown))
          .then(() => redis.publish(stateKeys.changes, place)),
      );
    },
    worked(place) {
      // What works while its place rests was sent before the rest: a vendor's retry-after still holds.
      if (isResting(coolDowns.get(place), Date.now())) return;
      failures.delete(place);
      if (!coolDowns.delete(place)) return;
      log.info({ place }, "channel works again");
      quietly(redis.hdel(stateKeys.health, place).then(() => redis.publish(stateKeys.changes, place)));
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      subscriber.disconnect();
    },
  };
}
