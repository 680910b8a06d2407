import { Gauge, SeriesCounter } from "@modelgate/platform";
import type { ChannelStates } from "./state.ts";

const attempts = new SeriesCounter({
  name: "modelgate_channel_attempts_total",
  help: "Attempts to call vendors.",
  labelNames: ["channel", "result"],
});

/** Counts an attempt; `failed` is the failure's code. */
export function observeAttempt(channel: string, failed?: string): void {
  attempts.inc({ channel, result: failed ?? "ok" });
}

let currentStates: ChannelStates | undefined;

const channelStates = new Gauge({
  name: "modelgate_channel_state",
  help: "1 if a channel, one of its keys or one of its models is in cooldown, is refused by its vendor, or is disabled.",
  labelNames: ["scope", "state"],
  collect() {
    this.reset();
    const now = Date.now();
    for (const [scope, { until, kind }] of currentStates?.cooldowns ?? [])
      if (until > now) this.set({ scope, state: kind === "refused" ? "refused" : "cooldown" }, 1);
    for (const scope of currentStates?.switchedOff.keys() ?? []) this.set({ scope, state: "disabled" }, 1);
  },
});

/** Number of cooldowns of single accounts. `gatectl channel show` lists them. */
const accountCooldowns = new Gauge({
  name: "modelgate_channel_account_cooldowns",
  help: "Channels, keys and models that are in cooldown or are refused for a single account.",
  labelNames: ["state"],
  collect() {
    const now = Date.now();
    const cooldowns = [...(currentStates?.accountCooldowns.values() ?? [])].filter(({ until }) => until > now);
    const refused = cooldowns.filter(({ kind }) => kind === "refused").length;
    this.set({ state: "refused" }, refused);
    this.set({ state: "cooldown" }, cooldowns.length - refused);
  },
});

/** Selects the states that the metrics show. */
export function showStates(states: ChannelStates): void {
  currentStates = states;
  channelStates.reset();
  accountCooldowns.reset();
}

/** Provider names of OpenTelemetry that differ from ours. */
const conventionalNames: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  gemini: "gcp.gemini",
};

/** Returns a provider's name in OpenTelemetry's conventions (`gen_ai.provider.name`). */
export function providerNameOf(provider: string): string {
  return conventionalNames[provider] ?? provider;
}
