import { setTimeout as pause } from "node:timers/promises";
import type { Area, CallResult, ClientCall } from "./area.ts";

export interface CallStatistics {
  requests: number;
  /** Results by request id. */
  readonly results: Map<string, Pick<CallResult, "whole" | "requested">>;
  /** Highest number (`turn`) of a call with a complete answer; -1 before the first one. */
  newestWhole: number;
  disconnected: number;
  /** Number of failures by description. */
  readonly failures: Map<string, number>;
  /** Number of calls that were omitted because too many were open. */
  unsent: number;
}

/** Clients that call one after another, or at a steady rate. */
export interface Clients extends Omit<ClientCall, "requestId" | "turn"> {
  readonly area: Area;
  readonly load: { readonly clients: number } | { readonly perSecond: number };
  readonly name: string;
}

/** Running clients. `stop` ends them and waits for open calls. */
export interface RunningClients {
  readonly statistics: CallStatistics;
  stop(): Promise<CallStatistics>;
}

/** Pauses of a client in ms: after a complete answer, after disconnecting, and after a failure. */
const [pauseMs, afterDisconnectMs, afterFailureMs] = [40, 100, 250];
/** Maximum open calls at a steady rate. */
const maxOpen = 50;

/** Returns statistics without calls. */
export function emptyStatistics(): CallStatistics {
  return { requests: 0, results: new Map(), newestWhole: -1, disconnected: 0, failures: new Map(), unsent: 0 };
}

/** Starts clients that call until they are stopped. */
export function startClients({ area, load, name, ...rest }: Clients): RunningClients {
  const statistics = emptyStatistics();
  const callOnce = async (): Promise<number> => {
    const turn = statistics.requests++;
    const call: ClientCall = { ...rest, requestId: `${name}${turn}`, turn };
    const { failures, disconnected, whole, requested } = await area.call(call);
    statistics.results.set(call.requestId, { whole, requested });
    if (disconnected) statistics.disconnected++;
    for (const failure of failures) statistics.failures.set(failure, (statistics.failures.get(failure) ?? 0) + 1);
    if (failures.length > 0) return afterFailureMs;
    if (whole > 0) statistics.newestWhole = Math.max(statistics.newestWhole, turn);
    return disconnected ? afterDisconnectMs : pauseMs;
  };
  return "clients" in load
    ? callOneAfterAnother(statistics, callOnce, load.clients)
    : callAtRate(statistics, callOnce, load.perSecond);
}

function callOneAfterAnother(
  statistics: CallStatistics,
  callOnce: () => Promise<number>,
  clients: number,
): RunningClients {
  const state = { on: true };
  const client = async (): Promise<void> => {
    while (state.on) {
      const waitMs = await callOnce();
      await pause(waitMs);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  return {
    statistics,
    async stop() {
      state.on = false;
      await all;
      return statistics;
    },
  };
}

function callAtRate(statistics: CallStatistics, callOnce: () => Promise<number>, perSecond: number): RunningClients {
  const openCalls = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    if (openCalls.size >= maxOpen) {
      statistics.unsent++;
      return;
    }
    const calling = callOnce().finally(() => openCalls.delete(calling));
    openCalls.add(calling);
  }, 1_000 / perSecond);
  return {
    statistics,
    async stop() {
      clearInterval(timer);
      await Promise.all(openCalls);
      return statistics;
    },
  };
}
