import type { Area, CallResult, ClientCall } from "./area.ts";

/** Results of an area's calls in a while. */
export interface Seen {
  requests: number;
  /** By the id of the request. */
  readonly results: Map<string, Pick<CallResult, "whole" | "requested">>;
  /** Number of the newest call whose answer is complete; -1: none. */
  newestWhole: number;
  /** Calls that their client left. */
  left: number;
  /** Failures that clients saw, and how often. */
  readonly failures: Map<string, number>;
  /** Calls that were not sent, because too many were open: the machine, or the suite, did not keep up. */
  unsent: number;
}

/** Calls of an area by clients that call again and again, or at a steady rate. */
export interface Clients extends Omit<ClientCall, "requestId" | "turn"> {
  readonly area: Area;
  readonly load: { readonly clients: number } | { readonly perSecond: number };
  /** Beginning of each request's id. */
  readonly name: string;
}

/** Calls that are under way until `stop` is called, which waits for those that are open. */
export interface RunningClients {
  readonly seen: Seen;
  stop(): Promise<Seen>;
}

/** Pauses of a client, ms: between two calls, after one that it left and that is still being made, and after a failure. */
const [pauseMs, afterLeavingMs, afterFailureMs] = [40, 100, 250];
/** Maximum number of open calls at a steady rate. */
const maxOpen = 50;

/** Returns what was seen before the first call. */
export function nothingSeen(): Seen {
  return { requests: 0, results: new Map(), newestWhole: -1, left: 0, failures: new Map(), unsent: 0 };
}

/** Starts calls. */
export function startClients({ area, load, name, ...rest }: Clients): RunningClients {
  const seen = nothingSeen();
  const callOnce = async (): Promise<number> => {
    const turn = seen.requests++;
    const call: ClientCall = { ...rest, requestId: `${name}${turn}`, turn };
    const { failures, left, whole, requested } = await area.call(call);
    seen.results.set(call.requestId, { whole, requested });
    if (left) seen.left++;
    for (const failure of failures) seen.failures.set(failure, (seen.failures.get(failure) ?? 0) + 1);
    if (failures.length > 0) return afterFailureMs;
    if (whole > 0) seen.newestWhole = Math.max(seen.newestWhole, turn);
    return left ? afterLeavingMs : pauseMs;
  };
  return "clients" in load ? again(seen, callOnce, load.clients) : steadily(seen, callOnce, load.perSecond);
}

function again(seen: Seen, callOnce: () => Promise<number>, clients: number): RunningClients {
  const state = { on: true };
  const client = async (): Promise<void> => {
    while (state.on) {
      const pause = await callOnce();
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  return {
    seen,
    async stop() {
      state.on = false;
      await all;
      return seen;
    },
  };
}

function steadily(seen: Seen, callOnce: () => Promise<number>, perSecond: number): RunningClients {
  const open = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    if (open.size >= maxOpen) {
      seen.unsent++;
      return;
    }
    const calling = callOnce().finally(() => open.delete(calling));
    open.add(calling);
  }, 1_000 / perSecond);
  return {
    seen,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return seen;
    },
  };
}
