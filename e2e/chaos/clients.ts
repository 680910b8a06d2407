import type { Area, Asking, Leaves, Outcome, Ways } from "./area.ts";

/** What became of an area's requests in a while. */
export interface Seen {
  requests: number;
  /** Requests that were asked for answers: how many of them came whole, and the most that may have been charged. */
  readonly outcomes: Map<string, Pick<Outcome, "whole" | "asked">>;
  /** Requests that their client left. */
  left: number;
  /** What clients saw go wrong, and how often. */
  readonly failures: Map<string, number>;
}

export interface Clients {
  readonly area: Area;
  readonly edgeUrl: string;
  readonly key: string;
  /** How many ask at once, each again and again. */
  readonly count: number;
  readonly ways: Ways;
  readonly leaves: Leaves;
  /** Distinguishes requests of one period from those of others. */
  readonly name: string;
}

/** Pause of a client between two requests. */
const pauseMs = 40;
/** Pause after a request that was left: what it asked for is still being made. */
const afterLeavingMs = 100;
/** Pause after a failure: a client that is refused at once would ask thousands of times. */
const afterFailureMs = 250;

/** Lets clients ask until `stop` is called. */
export function startClients(clients: Clients): { stop(): Promise<Seen> } {
  const { area, name, count, ...rest } = clients;
  const seen: Seen = { requests: 0, outcomes: new Map(), left: 0, failures: new Map() };
  const state = { on: true };
  const one = async (): Promise<void> => {
    while (state.on) {
      const turn = seen.requests++;
      const asking: Asking = { ...rest, requestId: `${name}-${turn}`, turn };
      const { failures, left, whole, asked } = await area.ask(asking);
      seen.outcomes.set(asking.requestId, { whole, asked });
      if (left) seen.left++;
      for (const failure of failures) seen.failures.set(failure, (seen.failures.get(failure) ?? 0) + 1);
      const forMs = failures.length > 0 ? afterFailureMs : left ? afterLeavingMs : pauseMs;
      await new Promise((resolve) => setTimeout(resolve, forMs));
    }
  };
  const asking = Promise.all(Array.from({ length: count }, one));
  return {
    async stop() {
      state.on = false;
      await asking;
      return seen;
    },
  };
}
