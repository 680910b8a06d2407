import { countOpenHolds, outboxLength, shards } from "@modelgate/accounts";
import type { UsageEvent } from "@modelgate/contracts";
import { Counter, Gauge, type Redis } from "@modelgate/platform";

export const usageCounted = new Counter({
  name: "modelgate_usage_counted_total",
  help: "Usage events added to totals.",
});
export const usageUnpriced = new Counter({
  name: "modelgate_usage_unpriced_total",
  help: "Usage events with a unit that has no price and costs nothing.",
  labelNames: ["model", "unit"],
});
export const eventsPublished = new Counter({
  name: "modelgate_events_published_total",
  help: "Events that the ledger published for services that ended.",
});
export const holdsSwept = new Counter({
  name: "modelgate_holds_swept_total",
  help: "Expired holds that were settled at their floor.",
});

/** Counts usage events that were added to totals, and their units without a price. */
export function countUsage(events: readonly UsageEvent[]): void {
  usageCounted.inc(events.length);
  for (const { model, unpriced = [] } of events) for (const unit of unpriced) usageUnpriced.inc({ model, unit });
}

let shardStore: Redis | undefined;

/** Sets the Redis that the gauges read. */
export function watchShards(redis: Redis): void {
  shardStore = redis;
}

shardGauge("modelgate_outbox_events", "Events that wait to be published, in all shards.", outboxLength);
shardGauge("modelgate_holds_open", "Calls with an open hold, in all shards.", countOpenHolds);

/** Creates a gauge with the sum of all shards. It has no value while Redis is unavailable. */
function shardGauge(name: string, help: string, ofShard: (redis: Redis, shard: string) => Promise<number>): void {
  const gauge = new Gauge({
    name,
    help,
    async collect() {
      const redis = shardStore;
      this.reset();
      if (redis?.status !== "ready") return this.remove();
      try {
        const parts = await Promise.all(shards.map((shard) => ofShard(redis, shard)));
        this.set(parts.reduce((sum, part) => sum + part, 0));
      } catch {
        this.remove();
      }
    },
  });
  gauge.remove();
}
