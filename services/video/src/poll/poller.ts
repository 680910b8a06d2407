import { setTimeout } from "node:timers/promises";
import { openTasks, shards } from "@modelgate/accounts";
import { Counter, Gauge, type Registry } from "@modelgate/platform";
import type { Deps } from "../deps.ts";
import { pollOnce, type Round } from "./poll-once.ts";

/** Polls until disposed; a look that is under way then is given up, and its task left to others. */
export function openPoller(deps: Deps, metrics: Registry): AsyncDisposable {
  const { log } = deps.relay;
  const stop = new AbortController();
  const looks = new Counter({
    name: "modelgate_task_looks_total",
    help: "looks at vendors' tasks",
    registers: [metrics],
  });

  metrics.registerMetric(
    new Gauge({
      name: "modelgate_tasks_open",
      help: "video tasks that have not ended, all shards",
      registers: [],
      async collect() {
        const parts = await Promise.all(shards.map((shard) => openTasks(deps.relay.redis, shard)));
        this.set(parts.reduce((sum, part) => sum + part, 0));
      },
    }),
  );

  async function round(): Promise<Round | undefined> {
    try {
      deps.ready();
      return await pollOnce(deps, stop.signal);
    } catch (error) {
      log.debug({ err: error }, "a round of looks failed; trying again");
      return undefined;
    }
  }

  async function rounds(): Promise<void> {
    while (!stop.signal.aborted) {
      const done = await round();
      if (done !== undefined) looks.inc(done.looked);
      if (done?.more !== true) await pause(deps.limits.roundMs, stop.signal);
    }
  }

  const going = rounds();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await going;
    },
  };
}

/** Waits, or until the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch {
    // Asked to end.
  }
}
