import { runOnBeat, openSubscriber, type Logger, type Redis } from "@modelgate/platform";
import { endRests, readChannelStates, stateKeys, type CoolDown, type Switched } from "./state.ts";

/** Interval at which the states are read again, in case the message about a change was lost. */
const pollMs = 10_000;
/**
 * Time after the end of an account's cooldown for which its length is remembered, because the next cooldown is longer.
 */
const accountMemoryMs = 600_000;

/** States of all channels that this process saw, or that other replicas shared through Redis. */
export interface FollowedStates extends AsyncDisposable {
  readonly coolDowns: Map<string, CoolDown>;
  readonly accountRests: Map<string, CoolDown>;
  readonly switched: Map<string, Switched>;
  /** Observes a running write to Redis in the background. If it fails, only this process knows the change. */
  share(step: Promise<unknown>): void;
}

/**
 * Reads the shared states now and after each change. `forgotten` receives the name of each cooldown that another
 * replica or an operator ended.
 */
export async function followStates({
  redis,
  log,
  forgotten,
}: {
  redis: Redis;
  log: Logger;
  forgotten: (name: string) => void;
}): Promise<FollowedStates> {
  const coolDowns = new Map<string, CoolDown>();
  const accountRests = new Map<string, CoolDown>();
  const switched = new Map<string, Switched>();

  function applyShared(local: Map<string, CoolDown>, shared: ReadonlyMap<string, CoolDown>): void {
    for (const [name, rest] of shared) if ((local.get(name)?.until ?? 0) < rest.until) local.set(name, rest);
    for (const name of local.keys()) {
      if (shared.has(name)) continue;
      local.delete(name);
      forgotten(name);
    }
  }
  async function refresh(): Promise<void> {
    const states = await readChannelStates(redis);
    switched.clear();
    for (const [scope, reason] of states.switched) switched.set(scope, reason);
    applyShared(coolDowns, states.coolDowns);
    applyShared(accountRests, states.accountRests);
  }
  async function dropOld(): Promise<void> {
    const oldest = Date.now() - accountMemoryMs;
    await endRests(
      redis,
      [...accountRests].filter(([, { until }]) => until < oldest).map(([name]) => name),
    );
  }
  const share = (step: Promise<unknown>): void =>
    void step.catch((error: unknown) => log.debug({ err: error }, "channel states not shared"));

  const subscriber = openSubscriber(redis);
  subscriber.on("error", () => undefined);
  subscriber.on("message", () => share(refresh()));
  await subscriber.subscribe(stateKeys.changes);
  await refresh();
  const polls = runOnBeat(pollMs, () => share(refresh().then(dropOld)));
  return {
    coolDowns,
    accountRests,
    switched,
    share,
    async [Symbol.asyncDispose]() {
      polls[Symbol.dispose]();
      subscriber.disconnect();
    },
  };
}
