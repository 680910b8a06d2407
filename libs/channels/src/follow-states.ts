import { openSubscriber, type Logger, type Redis } from "@modelgate/platform";
import { readChannelStates, stateKeys, type CoolDown, type Switched } from "./state.ts";

/** A change whose message was lost is found within this time. */
const pollMs = 10_000;

/** What this process knows of all channels' states: what it saw itself, and what others told through Redis. */
export interface FollowedStates extends AsyncDisposable {
  readonly coolDowns: Map<string, CoolDown>;
  readonly switched: Map<string, Switched>;
  /** Shares a change; without Redis this process goes by what it saw itself. */
  share(step: Promise<unknown>): void;
}

/** Follows the shared states; `forgotten` is told of each place whose rest somebody ended. */
export async function followStates({
  redis,
  log,
  forgotten,
}: {
  redis: Redis;
  log: Logger;
  forgotten: (place: string) => void;
}): Promise<FollowedStates> {
  const coolDowns = new Map<string, CoolDown>();
  const switched = new Map<string, Switched>();

  async function refresh(): Promise<void> {
    const states = await readChannelStates(redis);
    switched.clear();
    for (const [place, why] of states.switched) switched.set(place, why);
    for (const [place, seen] of states.coolDowns)
      if ((coolDowns.get(place)?.until ?? 0) < seen.until) coolDowns.set(place, seen);
    for (const place of coolDowns.keys()) {
      if (states.coolDowns.has(place)) continue;
      coolDowns.delete(place);
      forgotten(place);
    }
  }
  const share = (step: Promise<unknown>): void =>
    void step.catch((error: unknown) => log.debug({ err: error }, "channel states not shared"));

  const subscriber = openSubscriber(redis);
  subscriber.on("error", () => undefined);
  subscriber.on("message", () => share(refresh()));
  await subscriber.subscribe(stateKeys.changes);
  await refresh();
  const timer = setInterval(() => share(refresh()), pollMs);
  timer.unref();
  return {
    coolDowns,
    switched,
    share,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      subscriber.disconnect();
    },
  };
}
