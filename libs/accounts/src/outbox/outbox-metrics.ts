import { Counter } from "@modelgate/platform";

export const eventsWithoutCopy = new Counter({
  name: "modelgate_events_without_copy_total",
  help: "Events that have no copy in Redis, because too many are not in the books. NATS must not lose them.",
});
