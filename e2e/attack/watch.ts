import type { Suite } from "@modelgate/testkit";
import type { Area } from "../chaos/area.ts";
import { startClients, type Seen } from "../chaos/clients.ts";
import type { Payer } from "./attack.ts";
import type { Canaries } from "./canaries.ts";
import { watchedServices, type Loops, type WatchedService } from "./loops.ts";

/** What the rest of the house went through while an attack lasted. */
export interface Watched {
  /** The other account's calls. */
  readonly seen: Seen;
  /** The service whose loop was held longest, and for how long in ms. */
  readonly loop: { readonly service: WatchedService; readonly ms: number };
  /** Processes that ended. */
  readonly dead: readonly WatchedService[];
}

/** How often logs are looked at: more often than a service fills what is kept of its output. */
const lookMs = 250;

/** Watches the house: another account calls an area all the time, logs are read, loops and processes are looked at. */
export async function watch(
  suite: Suite,
  { area, payer, name, canaries, loops }: { area: Area; payer: Payer; name: string; canaries: Canaries; loops: Loops },
): Promise<{ stop(): Promise<Watched> }> {
  await loops.begin();
  const lookAtLogs = (): void => {
    for (const service of watchedServices) canaries.look(`the log of ${service}`, suite.process(service).logs());
  };
  const timer = setInterval(lookAtLogs, lookMs);
  const { edgeUrl } = suite;
  const clients = startClients({ area, edgeUrl, key: payer.key, count: 1, ways: "lone", leaves: "never", name });
  return {
    async stop() {
      const seen = await clients.stop();
      clearInterval(timer);
      lookAtLogs();
      return {
        seen,
        loop: await loops.worst(),
        dead: watchedServices.filter((service) => !suite.process(service).running),
      };
    },
  };
}
