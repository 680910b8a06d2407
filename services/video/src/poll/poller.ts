import { setTimeout } from "node:timers/promises";
import { firstTaskDue, shards, countOpenTasks } from "@modelgate/accounts";
import { WorkCheck, msUntilSharedTick, Counter, Gauge, type Redis, type Registry } from "@modelgate/platform";
import type { Deps } from "../deps.ts";
import { PollSlots } from "./poll-slots.ts";
import { pollOnce, type PollRound } from "./poll-once.ts";

/** Polls due tasks until disposal. Rounds do not wait for each other, so a silent vendor delays only its tasks. */
export function openPoller(deps: Deps, onPolled: (polled: number) => void): AsyncDisposable {
  const stop = new AbortController();
  const slots = new PollSlots(deps.limits.concurrency);
  const openRounds = new Set<Promise<unknown>>();
  const { redis } = deps.relay;
  const workCheck = new WorkCheck({
    redis,
    graceMs: 0,
    nextDue: async () => Math.min(...(await Promise.all(shards.map((shard) => firstTaskDue(redis, shard))))),
    now: () => deps.now(),
  });

  async function runRound(): Promise<PollRound | undefined> {
    try {
      deps.ready();
      if (!(await workCheck.hasWork())) return undefined;
      const done = await pollOnce(deps, stop.signal, slots);
      onPolled(done.polled);
      return done;
    } catch (error) {
      deps.relay.log.debug({ err: error }, "a round of polls failed; trying again");
      return undefined;
    }
  }

  async function runRounds(): Promise<void> {
    while (!stop.signal.aborted) {
      await slots.waitForFreeSlot(); // a round then claims only tasks that it can poll immediately
      const pausing = pause(msUntilSharedTick(deps.limits.roundMs), stop.signal);
      const current = runRound().finally(() => openRounds.delete(current));
      openRounds.add(current);
      const done = await Promise.race([current, pausing]);
      if (done?.hasMore !== true) await pausing;
    }
    await Promise.all(openRounds);
  }

  const running = runRounds();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** Waits for a time, or until the signal is aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<undefined> {
  try {
    return await setTimeout(ms, undefined, { signal });
  } catch {
    return undefined;
  }
}

/** Registers the metrics of open tasks. Returns the function that counts polls. */
export function pollMetrics(redis: Redis, metrics: Registry): (polled: number) => void {
  const polls = new Counter({
    name: "modelgate_task_polls_total",
    help: "Polls of vendors' tasks.",
    registers: [metrics],
  });
  metrics.registerMetric(
    new Gauge({
      name: "modelgate_tasks_open",
      help: "Open video tasks, in all shards.",
      registers: [],
      async collect() {
        const parts = await Promise.all(shards.map((shard) => countOpenTasks(redis, shard)));
        this.set(parts.reduce((sum, part) => sum + part, 0));
      },
    }),
  );
  return (polled) => polls.inc(polled);
}
