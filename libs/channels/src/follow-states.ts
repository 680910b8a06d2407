import { runOnSharedTick, openSubscriber, type Logger, type Redis } from "@modelgate/platform";
import { endCooldowns, readChannelStates, stateKeys, type Cooldown, type SwitchOff } from "./state.ts";

/** Interval at which the states are read again, in case a message was lost. */
const pollMs = 10_000;
/** Time for which an account's ended cooldown is remembered. A failure within this time starts a longer cooldown. */
const accountMemoryMs = 600_000;

/** States of all channels, as this process has read or changed them. */
export interface FollowedStates extends AsyncDisposable {
  readonly cooldowns: Map<string, Cooldown>;
  readonly accountCooldowns: Map<string, Cooldown>;
  readonly switchedOff: Map<string, SwitchOff>;
  /** Waits in the background for a step that uses Redis, and logs its failure. */
  runInBackground(step: Promise<unknown>): void;
}

/** Reads the shared states now and after each change. */
export async function followStates({
  redis,
  log,
  onEnded,
}: {
  redis: Redis;
  log: Logger;
  onEnded: (name: string) => void;
}): Promise<FollowedStates> {
  const cooldowns = new Map<string, Cooldown>();
  const accountCooldowns = new Map<string, Cooldown>();
  const switchedOff = new Map<string, SwitchOff>();
  let isUnreadableLogged = false;

  async function refresh(): Promise<void> {
    const readAt = Date.now();
    const states = await readChannelStates(redis);
    switchedOff.clear();
    for (const [scope, reason] of states.switchedOff) switchedOff.set(scope, reason);
    applyShared(cooldowns, states.cooldowns, { readAt, onEnded });
    applyShared(accountCooldowns, states.accountCooldowns, { readAt, onEnded });
    const [unreadable] = states.unreadableCooldowns;
    if (unreadable !== undefined && !isUnreadableLogged) {
      log.warn({ scope: unreadable }, "a cooldown of another version cannot be read");
      isUnreadableLogged = true;
    }
  }
  async function dropOld(): Promise<void> {
    const oldest = Date.now() - accountMemoryMs;
    await endCooldowns(
      redis,
      [...accountCooldowns].filter(([, { until }]) => until < oldest).map(([name]) => name),
    );
  }
  const runInBackground = (step: Promise<unknown>): void =>
    void step.catch((error: unknown) => log.debug({ err: error }, "channel states were not read or shared"));

  const subscriber = openSubscriber(redis);
  subscriber.on("error", () => undefined);
  subscriber.on("message", () => runInBackground(refresh()));
  await subscriber.subscribe(stateKeys.changes);
  await refresh();
  const polls = runOnSharedTick(pollMs, () => runInBackground(refresh().then(dropOld)));
  return {
    cooldowns,
    accountCooldowns,
    switchedOff,
    runInBackground,
    async [Symbol.asyncDispose]() {
      polls[Symbol.dispose]();
      subscriber.disconnect();
    },
  };
}

/** Applies the shared cooldowns, read at `readAt` (Unix ms), to those of this process. */
export function applyShared(
  local: Map<string, Cooldown>,
  shared: ReadonlyMap<string, Cooldown>,
  { readAt, onEnded }: { readonly readAt: number; readonly onEnded: (name: string) => void },
): void {
  for (const [name, cooldown] of shared) if ((local.get(name)?.until ?? 0) < cooldown.until) local.set(name, cooldown);
  for (const [name, { since }] of local) {
    // A cooldown that began here after the read is not in `shared` yet, so it is kept.
    if (shared.has(name) || Date.parse(since) >= readAt) continue;
    local.delete(name);
    onEnded(name);
  }
}
