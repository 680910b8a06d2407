import { tokensIn } from "@modelgate/contracts";
import { Counter } from "@modelgate/platform";
import { callObservers, type EndedCall } from "./call-metrics.ts";

/** Number of counted callers per shown caller, so that a caller with a rising rate is counted before it is shown. */
const entriesPerShownCaller = 4;
const others = "_other";

interface CallerSums {
  calls: number;
  failed: number;
  tokens: number;
  costUsd: number;
}

const emptySums = (): CallerSums => ({ calls: 0, failed: 0, tokens: 0, costUsd: 0 });

/**
 * Sums of the callers with the most calls, in limited memory (the Space-Saving algorithm). If the memory is full, a new
 * caller replaces the one with the fewest calls.
 */
export class TopCallers {
  readonly #maxShown: number;
  readonly #entries = new Map<string, { readonly sums: CallerSums; weight: number }>();
  readonly #evictedSums = emptySums();

  constructor(maxShown: number) {
    this.#maxShown = maxShown;
  }

  add(caller: string, call: CallerSums): void {
    let entry = this.#entries.get(caller);
    if (entry === undefined) {
      entry = {
        sums: emptySums(),
        weight: this.#entries.size < this.#maxShown * entriesPerShownCaller ? 0 : this.#evict(),
      };
      this.#entries.set(caller, entry);
    }
    entry.weight += call.calls;
    addTo(entry.sums, call);
  }

  /** Returns the sums of the callers with the most calls, in descending order, then those of all others together. */
  top(): readonly (readonly [caller: string, sums: CallerSums])[] {
    const byCalls = [...this.#entries].toSorted(([, left], [, right]) => right.weight - left.weight);
    const top = byCalls.slice(0, this.#maxShown).map(([caller, { sums }]) => [caller, sums] as const);
    const rest = { ...this.#evictedSums };
    for (const [, { sums }] of byCalls.slice(this.#maxShown)) addTo(rest, sums);
    return [...top, [others, rest]];
  }

  /** Removes the caller with the fewest calls, and returns its number of calls. */
  #evict(): number {
    let least: readonly [string, { readonly sums: CallerSums; readonly weight: number }] | undefined;
    for (const entry of this.#entries) if (least === undefined || entry[1].weight < least[1].weight) least = entry;
    if (least === undefined) return 0;
    this.#entries.delete(least[0]);
    addTo(this.#evictedSums, least[1].sums);
    return least[1].weight;
  }
}

function addTo(sums: CallerSums, added: CallerSums): void {
  sums.calls += added.calls;
  sums.failed += added.failed;
  sums.tokens += added.tokens;
  sums.costUsd += added.costUsd;
}

let accounts: TopCallers | undefined;
let groups: TopCallers | undefined;

/** Starts metrics of the `count` accounts and the `count` groups with the most calls. */
export function showTopCallers(count: number): void {
  accounts = count === 0 ? undefined : new TopCallers(count);
  groups = count === 0 ? undefined : new TopCallers(count);
  callObservers.delete(observeCaller);
  if (count > 0) callObservers.add(observeCaller);
}

function observeCaller({ draft, units, costNanos }: EndedCall): void {
  if (accounts === undefined) return;
  const failed = draft.outcome === "failed" ? 1 : 0;
  const call = { calls: 1, failed, tokens: tokensIn(units), costUsd: Number(costNanos) / 1e9 };
  accounts.add(draft.accountId, call);
  groups?.add(draft.group, call);
}

const metricTexts = {
  calls: ["calls_total", "Settled calls"],
  failed: ["calls_failed_total", "Failed calls"],
  tokens: ["tokens_total", "Tokens"],
  costUsd: ["cost_usd_total", "Cost of calls in US dollars, rounded"],
} as const satisfies Record<keyof CallerSums, readonly [string, string]>;

/** Declares a metric. If a caller was replaced and is shown again, its counter starts at 0. */
function declareMetric(of: "account" | "group", measure: keyof CallerSums, top: () => TopCallers | undefined): void {
  const [name, help] = metricTexts[measure];
  const counter: Counter<"account" | "group"> = new Counter({
    name: `modelgate_${of}_${name}`,
    help: `${help}, for the ${of}s with the most calls (METRICS_TOP).`,
    labelNames: [of],
    collect() {
      counter.reset();
      for (const [caller, sums] of top()?.top() ?? []) counter.inc({ [of]: caller }, sums[measure]);
    },
  });
}

for (const measure of ["calls", "failed", "tokens", "costUsd"] as const) {
  declareMetric("account", measure, () => accounts);
  declareMetric("group", measure, () => groups);
}
