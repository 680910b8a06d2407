import type { Area } from "../chaos/area.ts";
import type { Seen } from "../chaos/clients.ts";

/** A load of one area: so many requests a second, whether or not the ones before are answered. */
export interface AreaLoad {
  readonly area: Area;
  readonly perSecond: number;
  readonly edgeUrl: string;
  readonly key: string;
}

/** A load that is under way. */
export interface RunningLoad {
  readonly seen: Readonly<Seen>;
  /** Requests that were not sent, because too many were open: the machine, or the suite, did not keep up. */
  readonly unsent: number;
  /** Sends nothing more and waits for what is open. */
  stop(): Promise<void>;
}

/** Most requests of an area that are open at once. */
const maxOpen = 50;

/** Sends requests of an area at an even rate until it is stopped. */
export function startLoad({ area, perSecond, edgeUrl, key }: AreaLoad): RunningLoad {
  const seen: Seen = { requests: 0, outcomes: new Map(), left: 0, failures: new Map() };
  const open = new Set<Promise<void>>();
  let unsent = 0;
  const one = async (turn: number): Promise<void> => {
    const requestId = `soak-${area.name}-${turn}`;
    const { failures, whole, asked } = await area.ask({ edgeUrl, key, requestId, ways: "two", leaves: "never", turn });
    seen.outcomes.set(requestId, { whole, asked });
    for (const failure of failures) seen.failures.set(failure, (seen.failures.get(failure) ?? 0) + 1);
  };
  const timer = setInterval(() => {
    if (open.size >= maxOpen) {
      unsent++;
      return;
    }
    const asking = one(seen.requests++).finally(() => open.delete(asking));
    open.add(asking);
  }, 1_000 / perSecond);
  return {
    seen,
    get unsent() {
      return unsent;
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}
