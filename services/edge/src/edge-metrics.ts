import { SeriesCounter } from "@modelgate/platform";

/** What the limiter decided: `admitted`, or what refused. */
const decisions = new SeriesCounter({
  name: "modelgate_limiter_decisions_total",
  help: "decisions of the limiter",
  labelNames: ["decision"],
});

/** Counts a decision of the limiter. */
export function observeDecision(decision: string): void {
  decisions.inc({ decision });
}
