import { openTasks, shards } from "@modelgate/accounts";
import { Counter, Gauge, type Redis, type Registry } from "@modelgate/platform";

/** Registers what an operator sees of open tasks, and gives the counter of polls. */
export function pollMetrics(redis: Redis, metrics: Registry): (polled: number) => void {
  const polls = new Counter({
    name: "modelgate_task_looks_total",
    help: "polls of vendors' tasks",
    registers: [metrics],
  });
  metrics.registerMetric(
    new Gauge({
      name: "modelgate_tasks_open",
      help: "video tasks that have not ended, all shards",
      registers: [],
      async collect() {
        const parts = await Promise.all(shards.map((shard) => openTasks(redis, shard)));
        this.set(parts.reduce((sum, part) => sum + part, 0));
      },
    }),
  );
  return (polled) => polls.inc(polled);
}
