import { Counter, Gauge } from "@modelgate/platform";
import type { ChannelStates } from "./state.ts";

/** Attempts by channel, and what came of them: `ok`, or the failure's code. */
const attempts = new Counter({
  name: "modelgate_channel_attempts_total",
  help: "attempts at vendors",
  labelNames: ["channel", "result"],
});

/** Counts an attempt; `failed` is the failure's code. */
export function observeAttempt(channel: string, failed?: string): void {
  attempts.inc({ channel, result: failed ?? "ok" });
}

let shown: ChannelStates | undefined;

/** What rests or is switched off, as this process sees it: places are channels, and keys by their id. */
const channelStates = new Gauge({
  name: "modelgate_channel_state",
  help: "1 where a channel or a key of it rests, or is switched off",
  labelNames: ["place", "state"],
  collect() {
    this.reset();
    const now = Date.now();
    for (const [place, { until }] of shown?.coolDowns ?? []) if (until > now) this.set({ place, state: "resting" }, 1);
    for (const place of shown?.switched.keys() ?? []) this.set({ place, state: "off" }, 1);
  },
});

/** The states that the metric shows from now on. */
export function showStates(states: ChannelStates): void {
  shown = states;
  channelStates.reset();
}
