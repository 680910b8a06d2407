import { countOpenHolds, outboxLength, shards } from "@modelgate/accounts";
import { Counter, Gauge, type Redis } from "@modelgate/platform";

export const counted = new Counter({
  name: "modelgate_usage_counted_total",
  help: "Usage events added to totals.",
});
export const unpriced = new Counter({
  name: "modelgate_usage_unpriced_total",
  help: "Usage events with a unit without a price, which cost nothing.",
  labelNames: ["model", "unit"],
});
export const published = new Counter({
  name: "modelgate_events_published_total",
  help: "Events that the ledger published for services that ended.",
});
export const swept = new Counter({
  name: "modelgate_holds_swept_total",
  help: "Expired holds that were settled at their floor.",
});

let store: Redis | undefined;

/** Sets the store whose shards the gauges sum up. */
export function watchShards(redis: Redis): void {
  store = redis;
}

shardGauge("modelgate_outbox_events", "Events that wait to be published, in all shards.", outboxLength);
shardGauge("modelgate_holds_open", "Calls with an open hold, in all shards.", countOpenHolds);

/** Creates a gauge that sums over all shards when it is read; while Redis is unavailable it has no value. */
function shardGauge(name: string, help: string, ofShard: (redis: Redis, shard: string) => Promise<number>): void {
  const gauge = new Gauge({
    name,
    help,
    async collect() {
      const redis = store;
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
