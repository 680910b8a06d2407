import { recordUsage, type UsageRetention } from "@modelgate/accounts";
import { eventStreams, type UsageEvent } from "@modelgate/contracts";
import type { Bus, Counter, Logger, Redis } from "@modelgate/platform";

/** Reads the usage stream into totals and logs. Deliveries may repeat: an event is counted once by its id. */
export function startCounting({
  redis,
  bus,
  log,
  retention,
  counted,
  unpriced,
}: {
  redis: Redis;
  bus: Bus;
  log: Logger;
  retention: UsageRetention;
  counted: Counter;
  /** Events with a unit that their model's price does not name, by model and unit. */
  unpriced: Counter<"model" | "unit">;
}): AsyncDisposable {
  /** What cannot be read or counted is told and passed over: it must not hold up what comes after it. */
  const record = async (body: string): Promise<boolean> => {
    let event: UsageEvent;
    try {
      event = parse(body);
    } catch (error) {
      log.error({ err: error }, "an event that cannot be read is not counted");
      return false;
    }
    const first = await recordUsage(redis, event, retention);
    if (first) for (const unit of event.unpriced ?? []) unpriced.inc({ model: event.model, unit });
    return first;
  };
  return bus.consume(eventStreams.usage.name, "ledger", async (bodies) => {
    const recorded = await Promise.all(bodies.map((body) => record(body)));
    counted.inc(recorded.filter(Boolean).length);
    log.debug({ events: bodies.length }, "usage counted");
  });
}

function parse(body: string): UsageEvent {
  const event: UsageEvent = JSON.parse(body);
  return event;
}
